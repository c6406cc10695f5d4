import { useTranslator } from "#i18n";
import { MailboxOrLetterboxCodeForm } from "#components/mailbox/code-entry.tsx";
import { createMailboxOrLetterboxLinkRenderer } from "#components/mailbox/mailbox-link.tsx";
import { openLetterboxAction } from "./actions.ts";

/** The field for the seven words. A letter that arrived too late for its letterbox is shown, to be copied. */
export function LetterboxCodeEntryForm({ lostText }: { lostText: string | undefined }) {
  const t = useTranslator("letterbox");
  return (
    <MailboxOrLetterboxCodeForm
      action={openLetterboxAction}
      name="code"
      unsentText={lostText}
      texts={{
        title: t("openTitle"),
        lead: t("openLead"),
        label: t("code"),
        hint: t("codeHint"),
        open: t("open"),
        opening: t("opening"),
        forgotten: t("lost"),
        elsewhere: t.rich("mailboxHint", { link: createMailboxOrLetterboxLinkRenderer("/mailbox") }),
        unsent: t("lostText"),
      }}
    />
  );
}
