"use client";

import { useTranslator } from "#i18n";
import { ReceiptWordList } from "#components/mailbox/receipt-list.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { Notice } from "#components/ui/notice.tsx";

/** The words of a new conversation, the only time they are shown. */
export function NewWordsNotice() {
  const t = useTranslator("conversations");
  const { ok, values } = useFormContext().state;
  if (!ok || !values?.words) return null;
  return (
    <Notice kind="success" title={t("createdTitle")} live>
      <p>{t("createdText")}</p>
      <div className="grid gap-4 pt-2">
        <CopyField label={t("link")} value={values.link ?? ""} />
        <ReceiptWordList parts={values.words.split(" ")} label={t("wordList")} />
        <CopyField label={t("words")} value={values.words} />
      </div>
    </Notice>
  );
}
