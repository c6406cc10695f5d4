import { useLocale, useTranslator } from "#i18n";
import { formatCalendarDate } from "#lib/design/time.ts";
import { toEventFirstAndLastDay } from "#lib/events/event-days.ts";

type Props = { event: { startDate: string | null; endDate: string | null; timeZone: string | null } };

/** The days of an event in its own zone; renders nothing if they aren't known. */
export function EventDates({ event }: Props) {
  const t = useTranslator("visitor");
  const locale = useLocale();
  const { first, last } = toEventFirstAndLastDay(event);
  const [from, to] = [first, last].map((day) => day && formatCalendarDate(day, locale));
  if (!from && !to) return null;
  if (!from) return <p className="text-muted">{t("datesUntil", { to: to ?? "" })}</p>;
  if (!to) return <p className="text-muted">{t("datesFrom", { from })}</p>;
  return <p className="text-muted">{from === to ? from : t("dates", { from, to })}</p>;
}
