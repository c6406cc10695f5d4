import { Download, Trash2 } from "lucide-react";
import type { Metadata } from "next";
import { AccountHead } from "#components/account/account-head.tsx";
import { page } from "#components/shell/page.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { showOwnAccount } from "#lib/accounts/own-operations.ts";
import { show } from "#lib/api/page.ts";
import { deleteAccountAction } from "./actions.ts";

export const metadata: Metadata = { title: "Your data" };

export default page(async function OwnData() {
  const { account } = await show(showOwnAccount);
  return (
    <div className="grid gap-6">
      <AccountHead current="data" />
      <div className="grid max-w-2xl gap-6">
        <Export />
        <Delete withCode={account.secondFactor.enabled} />
      </div>
    </div>
  );
});

/** A plain link: what it leads to is a file. */
function Export() {
  return (
    <Card title="Take your data along">
      <div className="grid justify-items-start gap-4">
        <p>
          One file (JSON) with your account, your roles, the reports that you sent under your name with the
          answers to them, and what you wrote elsewhere here.
        </p>
        <a href="/api/users/me/export" download className={buttonClass("secondary")}>
          <Icon as={Download} /> Download your data
        </a>
      </div>
    </Card>
  );
}

function Delete({ withCode }: { withCode: boolean }) {
  return (
    <Card title="Delete your account">
      <div className="grid gap-4">
        <div className="grid gap-1">
          <h3>What goes</h3>
          <p className="text-muted">
            Your name, address, password and picture; your roles everywhere; your sessions, tokens, pins and
            notifications. Reports that you hold are free for somebody else to take.
          </p>
        </div>
        <div className="grid gap-1">
          <h3>What stays</h3>
          <p className="text-muted">
            Reports that you sent, your messages and your notes, without your name. The teams that received
            them still need them. You can&apos;t look at them any more.
          </p>
        </div>
        <div>
          <Form
            action={deleteAccountAction}
            label="Delete your account"
            dialog={{ trigger: "Delete your account…", variant: "danger", title: "Delete your account?" }}
          >
            <p>This can&apos;t be undone. Your password shows that it is you.</p>
            <TextField
              name="password"
              type="password"
              label="Your password"
              autoComplete="current-password"
              required
            />
            {withCode && (
              <TextField
                name="code"
                label="Code"
                hint="The six digits that your app shows, or one of your recovery codes."
                autoComplete="one-time-code"
                maxLength={40}
                spellCheck={false}
                required
              />
            )}
            <FormActions>
              <SubmitButton variant="danger" pendingLabel="Deleting…">
                <Icon as={Trash2} /> Delete for good
              </SubmitButton>
            </FormActions>
          </Form>
        </div>
      </div>
    </Card>
  );
}
