import { useTranslator } from "#i18n";
import { StaticIcon } from "#components/ui/static-icon.tsx";
import { siren } from "#lib/design/icons.ts";

/** The emergency contact, in the event's own words if it has any. */
export function EmergencyNotice({ contact }: { contact: string | null }) {
  const t = useTranslator("report");
  return (
    <section className="flex gap-3 rounded-surface border-2 border-danger bg-danger-soft p-4">
      <StaticIcon of={siren} size={24} className="text-danger" />
      <div className="grid min-w-0 gap-1">
        <h2 className="text-base">{t("danger")}</h2>
        {contact ? (
          <>
            <p dir="auto" className="whitespace-pre-line">
              {contact}
            </p>
            <p className="text-sm">{t("dangerAfter")}</p>
          </>
        ) : (
          <p>{t("dangerPlain")}</p>
        )}
      </div>
    </section>
  );
}
