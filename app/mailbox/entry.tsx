import { useTranslator } from "#i18n";
import { CodeEntry } from "#components/mailbox/code-entry.tsx";
import { openMailboxAction } from "./actions.ts";

/** The field for the seven words. A message that arrived too late for its mailbox is shown, to be copied. */
export function MailboxEntry({ lostMessage }: { lostMessage: string | undefined }) {
  const t = useTranslator("mailbox");
  return (
    <CodeEntry
      action={openMailboxAction}
      name="receipt"
      unsentText={lostMessage}
      texts={{
        title: t("openTitle"),
        lead: t("openLead"),
        label: t("receipt"),
        hint: t("receiptHint"),
        open: t("open"),
        opening: t("opening"),
        forgotten: t("lostReceipt"),
        unsent: t("lost"),
      }}
    />
  );
}
