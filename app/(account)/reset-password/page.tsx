import type { Metadata } from "next";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { validateResetToken } from "#lib/accounts/operations.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { resetPasswordAction } from "../actions.ts";

export const metadata: Metadata = { title: "Set a new password" };

export default page(async function ResetPassword({ searchParams }: { searchParams: Promise<Query> }) {
  const { token } = await searchParams;
  const found = typeof token === "string" && token ? await show(validateResetToken, {}, { token }) : null;
  if (typeof token !== "string" || !found?.valid) return <Unusable />;
  return (
    <AccountFrame
      title="Choose a new password"
      lead={
        <>
          For the account <span className="break-words text-ink">{found.email}</span>. Every device that is
          signed in with it is signed out.
        </>
      }
      after={<SideLink href="/login" label="Keep the present password and sign in" />}
    >
      <Form action={resetPasswordAction} hidden={{ token }}>
        <TextField
          name="newPassword"
          type="password"
          label="New password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters. A few unrelated words are easy to remember and hard to guess.`}
          autoComplete="new-password"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel="Setting it…">Set new password</SubmitButton>
        </FormActions>
        {found.expiresAt && (
          <p className="text-sm text-muted">
            This link works until <Time value={found.expiresAt} />.
          </p>
        )}
      </Form>
    </AccountFrame>
  );
}, NarrowFrame);

function Unusable() {
  return (
    <AccountFrame
      title="This link can't be used any more"
      lead="A link to set a new password works once, for a limited time, and only the newest one counts."
      after={<SideLink question="Remembered your password?" href="/login" label="Sign in" />}
    >
      <div>
        <LinkButton href="/forgot-password" variant="primary">
          Ask for a new link
        </LinkButton>
      </div>
    </AccountFrame>
  );
}
