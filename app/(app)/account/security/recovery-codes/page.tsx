import type { Metadata } from "next";
import { RecoveryCodesRenewalSteps } from "#components/account/recovery-codes-renewal.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { definePage } from "#components/shell/page.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form } from "#components/ui/form.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { showOwnAccount } from "#lib/own-account/operations.ts";
import { loadPageData } from "#lib/http/page.ts";
import { renewRecoveryCodesAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("account"))("recoveryCodes") };
}

export default definePage(async function NewRecoveryCodes() {
  const { account } = await loadPageData(showOwnAccount);
  const t = await getTranslator("account");
  return (
    <div className="grid max-w-2xl gap-6">
      <PageHeader
        title={t("newCodes")}
        breadcrumbs={[{ label: t("tab.security"), href: "/account/security" }]}
      />
      {account.secondFactor.enabled ? (
        <Card>
          <Form action={renewRecoveryCodesAction} label={t("newCodes")}>
            <p>{t("newCodesText")}</p>
            <ClientMessagesProvider of={["factor"]}>
              <RecoveryCodesRenewalSteps />
            </ClientMessagesProvider>
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
