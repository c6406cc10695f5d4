import { useLocale, useTranslator } from "#i18n";
import { Notice } from "#components/ui/notice.tsx";
import { formatCalendarDate } from "#lib/design/time.ts";
import type { RetentionDate } from "#lib/retention/schema.ts";

type Props = { retention: RetentionDate; isOpen: boolean };

/** Says when a report will be deleted, and why on that day. */
export function RetentionText({ retention, isOpen }: Props) {
  const t = useTranslator("retention");
  const locale = useLocale();
  const { deleteOn, rule, months, delayedBy, onHold } = retention;
  if (onHold) return <p>{t("onHold")}</p>;
  if (deleteOn === null || rule === null)
    return <p className="text-muted">{t(isOpen ? "neverOpen" : "noRule")}</p>;
  return (
    <>
      <p className="font-[550]">{t("date", { day: formatCalendarDate(deleteOn, locale) })}</p>
      <p className="text-muted">
        {t(`why.${rule}`, { months: months ?? 0 })} {delayedBy && t(`later.${delayedBy}`)}
      </p>
    </>
  );
}

/**
 * Tells the reporter when their report will be deleted, as a warning when that is soon. Renders nothing if the report
 * has neither a deletion date nor a hold.
 */
export function ReporterRetentionNotice({ retention, now }: { retention: RetentionDate; now: Date }) {
  const t = useTranslator("retention");
  if (retention.deleteOn === null && !retention.onHold) return null;
  const text = <RetentionText retention={retention} isOpen={false} />;
  if (!isDeletedSoon(retention, now)) return text;
  return (
    <Notice kind="warning" title={t("soonTitle")}>
      {text}
      <p>{t("soonReporter")}</p>
    </Notice>
  );
}

const DAY_MS = 24 * 3_600_000;
/** Days before the deletion from which the page warns of it. */
const SOON_DAYS = 30;

export const isDeletedSoon = ({ deleteOn }: Pick<RetentionDate, "deleteOn">, now: Date): boolean =>
  deleteOn !== null && Date.parse(deleteOn) - now.getTime() <= SOON_DAYS * DAY_MS;
