import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { AccountHeader } from "#components/account/account-header.tsx";
import { ReauthenticationFields } from "#components/account/reauthentication.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { buildButtonClass } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { showOwnAccount } from "#lib/own-account/operations.ts";
import { loadPageData } from "#lib/http/page.ts";
import { deleteAccountAction } from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("account"))("tab.data") };
}

export default definePage(async function OwnData() {
  const { account } = await loadPageData(showOwnAccount);
  return (
    <div className="grid gap-6">
      <AccountHeader current="data" />
      <div className="grid max-w-2xl gap-6">
        <DataExport />
        <AccountDeletionCard withCode={account.secondFactor.enabled} />
      </div>
    </div>
  );
});

/** Uses a plain link, because the target is a file download. */
function DataExport() {
  const t = useTranslator("account");
  return (
    <Card title={t("export")}>
      <div className="grid justify-items-start gap-4">
        <p>{t("exportText")}</p>
        <a href="/api/users/me/export" download className={buildButtonClass("secondary")}>
          <Icon as="download" /> {t("exportLink")}
        </a>
      </div>
    </Card>
  );
}

function AccountDeletionCard({ withCode }: { withCode: boolean }) {
  const t = useTranslator("account");
  return (
    <Card title={t("delete")}>
      <div className="grid gap-4">
        <div className="grid gap-1">
          <h3>{t("goes")}</h3>
          <p className="text-muted">{t("goesText")}</p>
        </div>
        <div className="grid gap-1">
          <h3>{t("stays")}</h3>
          <p className="text-muted">{t("staysText")}</p>
        </div>
        <div>
          <AccountDeletionForm withCode={withCode} />
        </div>
      </div>
    </Card>
  );
}

function AccountDeletionForm({ withCode }: { withCode: boolean }) {
  const t = useTranslator("account");
  return (
    <Form
      action={deleteAccountAction}
      label={t("delete")}
      dialog={{
        trigger: t("deleteAccountTrigger"),
        variant: "danger",
        title: t("deleteAccountTitle"),
      }}
    >
      <p>{t("deleteAccountText")}</p>
      <ReauthenticationFields withCode={withCode} />
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("deleting")}>
          <Icon as="trash" /> {t("deleteForGood")}
        </SubmitButton>
        <DismissDialogButton outcome="keep" />
      </FormActions>
    </Form>
  );
}
