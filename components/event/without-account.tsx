import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import {
  acceptsReportsFromAnyAccount,
  type PublicEventRecord,
  type EventReportSettingsRecord,
} from "./event-data.ts";

/** Links to the report form that needs no account, where the event allows it. */
export function ReportWithoutAccountLink({ slug, primary = false }: { slug: string; primary?: boolean }) {
  const t = useTranslator("visitor");
  return (
    <a
      href={`/e/${slug}/report?without=account`}
      className={buildButtonClass(primary ? "primary" : "secondary", "w-full justify-self-start sm:w-auto")}
    >
      {t("reportWithoutAccount")}
    </a>
  );
}

/**
 * Returns the message (`visitor`) that says which accounts can report, where people can also report without one; null
 * if every account can.
 */
export function findWhoCanReportMessageKey(
  event: Pick<PublicEventRecord, "isActive">,
  settings: EventReportSettingsRecord,
): "orMembers" | "orMembersOver" | null {
  if (acceptsReportsFromAnyAccount(event, settings)) return null;
  return settings.whoCanReport === "account" ? "orMembersOver" : "orMembers";
}
