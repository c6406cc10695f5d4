import { useTranslator } from "#i18n";

/** Explains what it means to leave one's name out of a report. */
export function AnonymityNote() {
  const t = useTranslator("report");
  return (
    <div className="grid gap-1.5">
      <p>{t("anonymousHint")}</p>
      <p>{t("anonymousPrice")}</p>
      <AnonymousFilesNote />
    </div>
  );
}

/** Explains what the files of a report without a name may show, and which are accepted. */
export function AnonymousFilesNote() {
  const t = useTranslator("report");
  return (
    <>
      <p>{t("anonymousTraces")}</p>
      <p>{t("anonymousFiles")}</p>
    </>
  );
}
