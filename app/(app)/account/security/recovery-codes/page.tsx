import type { Metadata } from "next";
import { RenewedCodes } from "#components/account/renewed-codes.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form } from "#components/ui/form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { showOwnAccount } from "#lib/accounts/own-operations.ts";
import { show } from "#lib/api/page.ts";
import { renewCodesAction } from "../actions.ts";

export const metadata: Metadata = { title: "Recovery codes" };

export default page(async function NewRecoveryCodes() {
  const { account } = await show(showOwnAccount);
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader
        title="New recovery codes"
        breadcrumbs={[{ label: "Security", href: "/account/security" }]}
      />
      {account.secondFactor.enabled ? (
        <Card>
          <Form action={renewCodesAction} label="New recovery codes">
            <p>
              Each code signs you in once when you don&apos;t have your app. A new set replaces the old one:
              codes that you kept before no longer work.
            </p>
            <RenewedCodes />
          </Form>
        </Card>
      ) : (
        <EmptyState
          title="You have no second factor"
          actions={<LinkButton href="/account/security">Set one up</LinkButton>}
        >
          <p>Recovery codes come with it.</p>
        </EmptyState>
      )}
    </div>
  );
});
