import type { Metadata } from "next";
import { RenewedCodes } from "#components/account/renewed-codes.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { ClientWords } from "#components/words/client-words.tsx";
import { page } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form } from "#components/ui/form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { showOwnAccount } from "#lib/own-account/operations.ts";
import { show } from "#lib/http/page.ts";
import { renewCodesAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("account"))("recoveryCodes") };
}

export default page(async function NewRecoveryCodes() {
  const { account } = await show(showOwnAccount);
  const t = await pageWords("account");
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader
        title={t("newCodes")}
        breadcrumbs={[{ label: t("tab.security"), href: "/account/security" }]}
      />
      {account.secondFactor.enabled ? (
        <Card>
          <Form action={renewCodesAction} label={t("newCodes")}>
            <p>{t("newCodesText")}</p>
            <ClientWords of={["factor"]}>
              <RenewedCodes />
            </ClientWords>
          </Form>
        </Card>
      ) : (
        <EmptyState
          title={t("noFactor")}
          actions={<LinkButton href="/account/security">{t("setOneUp")}</LinkButton>}
        >
          <p>{t("noFactorText")}</p>
        </EmptyState>
      )}
    </div>
  );
});
