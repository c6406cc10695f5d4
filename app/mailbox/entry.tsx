import { useTranslator } from "#i18n";
import { MailboxOrLetterboxCodeForm } from "#components/mailbox/code-entry.tsx";
import { createMailboxOrLetterboxLinkRenderer } from "#components/mailbox/mailbox-link.tsx";
import { openMailboxAction } from "./actions.ts";

type Props = {
  lostMessage: string | undefined;
  /** The mailbox that was open on this device was closed for good. */
  isClosed: boolean;
};

/** The field for the seven words. A message that arrived too late for its mailbox is shown, to be copied. */
export function MailboxReceiptEntryForm({ lostMessage, isClosed }: Props) {
  const t = useTranslator("mailbox");
  return (
    <MailboxOrLetterboxCodeForm
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
        elsewhere: t.rich("letterboxHint", { link: createMailboxOrLetterboxLinkRenderer("/letterbox") }),
        unsent: t(isClosed ? "lostClosed" : "lost"),
      }}
    />
  );
}
