import { useLocale, useTranslator } from "#i18n";
import { formatDate } from "#lib/design/time.ts";

/** The dates of an event, as days in UTC; renders nothing if they aren't known. */
export function EventDates({ startDate, endDate }: { startDate: string | null; endDate: string | null }) {
  const t = useTranslator("visitor");
  const locale = useLocale();
  const [from, to] = [startDate, endDate].map((at) => at && formatDate(new Date(at), locale));
  if (!from && !to) return null;
  if (!from) return <p className="text-muted">{t("datesUntil", { to: to ?? "" })}</p>;
  if (!to) return <p className="text-muted">{t("datesFrom", { from })}</p>;
  return <p className="text-muted">{from === to ? from : t("dates", { from, to })}</p>;
}
