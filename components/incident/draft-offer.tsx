import { useLocale, useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import type { ReportDraftState } from "./report-draft.tsx";
import type { StoredReportDraft } from "./traces.ts";

/** Offers a saved draft without showing any of it until it is opened. */
export function DraftOffer({
  draft,
  onTake,
}: {
  draft: ReportDraftState;
  onTake: (found: StoredReportDraft) => void;
}) {
  const t = useTranslator("reportForm");
  const locale = useLocale();
  if (!draft.found) return null;
  const { found } = draft;
  const at = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(found.at);
  return (
    <section className="grid gap-3 rounded-surface border border-edge bg-surface p-4">
      <p>{t("draft.found", { at })}</p>
      <div className="flex flex-wrap gap-3">
        <button type="button" className={buildButtonClass("primary")} onClick={() => onTake(found)}>
          {t("draft.take")}
        </button>
        <button type="button" className={buildButtonClass()} onClick={draft.drop}>
          {t("draft.drop")}
        </button>
      </div>
    </section>
  );
}
