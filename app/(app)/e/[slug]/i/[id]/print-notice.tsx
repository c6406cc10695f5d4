import { useTranslator } from "#i18n";
import { Icon } from "#components/ui/icon.tsx";
import { Time } from "#components/ui/time.tsx";

/** Printed on every sheet: the copy is for the team, with the name of the person who printed it, and the time. */
export function PrintConfidentialityNotice({ of, now }: { of: string; now: Date }) {
  const t = useTranslator("incidentPage");
  return (
    <>
      <p className="hidden flex-wrap items-center gap-2 border-b-2 border-ink pb-2 font-[650] print:flex">
        <Icon as="lock" size={16} /> {t("confidential")} · {t("printedBy", { name: of })} ·{" "}
        <Time value={now} show="exact" />
      </p>
      <p aria-hidden="true" className="watermark">
        <span>{t("watermark", { name: of })}</span>
      </p>
    </>
  );
}
