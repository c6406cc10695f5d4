import { useTranslator } from "#i18n";

/** Explains what reporting without an account means. */
export function WithoutAccountNote() {
  const t = useTranslator("reportForm");
  return (
    <div className="grid max-w-[60ch] gap-3">
      <p className="font-[550]">{t("unnamed")}</p>
      <p>{t("unnamedReturn")}</p>
      <p>{t("anonymousTraces")}</p>
      <p>{t("anonymousFiles")}</p>
    </div>
  );
}

/** Explains what it means to leave one's name out of a report. */
export function AnonymityNote() {
  const t = useTranslator("reportForm");
  return (
    <div className="grid gap-1.5">
      <p>{t("anonymousHint")}</p>
      <p>{t("anonymousPrice")}</p>
      <p>{t("anonymousTraces")}</p>
      <p>{t("anonymousFiles")}</p>
    </div>
  );
}
