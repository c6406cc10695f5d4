"use client";

import { useTranslator } from "#i18n";
import { ReceiptWordList } from "#components/mailbox/receipt-list.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { Notice } from "#components/ui/notice.tsx";

/** The words of a new letterbox, the only time they are shown. */
export function NewLetterboxCodeNotice() {
  const t = useTranslator("letterboxes");
  const { ok, values } = useFormContext().state;
  if (!ok || !values?.code) return null;
  return (
    <Notice kind="success" title={t("createdTitle")} live>
      <p>{t("createdText")}</p>
      <div className="grid gap-4 pt-2">
        <CopyField label={t("link")} value={values.link ?? ""} />
        <ReceiptWordList parts={values.code.split(" ")} label={t("wordList")} />
        <CopyField label={t("code")} value={values.code} />
      </div>
    </Notice>
  );
}
