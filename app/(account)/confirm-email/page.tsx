import type { Metadata } from "next";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import type { Query } from "#lib/design/query.ts";
import { confirmEmailAction } from "../actions.ts";

export const metadata: Metadata = { title: "Confirm an e-mail address" };

/** The link of the mail changes nothing by being opened: mail programs open links, too. */
export default page(async function ConfirmEmail({ searchParams }: { searchParams: Promise<Query> }) {
  const { token, after } = await searchParams;
  if (after === "confirmed") return <Confirmed />;
  if (typeof token !== "string" || !token) return <Unusable />;
  return (
    <AccountFrame
      title="Confirm your new e-mail address"
      lead="You, or somebody who manages an event you are in, asked for another address for your account. The mail names it. From then on you sign in with it."
      after={<SideLink question="You don't want this?" href="/" label="Leave it as it is" />}
    >
      <Form action={confirmEmailAction} hidden={{ token }} label="Confirm your new e-mail address">
        <FormActions>
          <SubmitButton pendingLabel="Confirming…">Use the new address</SubmitButton>
        </FormActions>
      </Form>
    </AccountFrame>
  );
}, NarrowFrame);

function Confirmed() {
  return (
    <AccountFrame
      title="The new address is set"
      lead="Sign in with it from now on. Your password is the same."
    >
      <div>
        <LinkButton href="/login" variant="primary">
          Go on
        </LinkButton>
      </div>
    </AccountFrame>
  );
}

function Unusable() {
  return (
    <AccountFrame
      title="This link can't be used"
      lead="It may be cut short. Open it from the mail once more; it works once, for a limited time."
    >
      <div>
        <LinkButton href="/">Go to the start page</LinkButton>
      </div>
    </AccountFrame>
  );
}
