import { useLocale, useTranslator } from "#i18n";
import { formatCalendarDate } from "#lib/design/time.ts";
import { toEventFirstAndLastDay } from "#lib/events/event-days.ts";
import { LogoRow } from "./logo-row.tsx";
import { findSameSiteEventLogoPath, type PublicEventRecord } from "./event-data.ts";

/** Logo, name and dates of an event, as on its public pages. `title` replaces the name as the heading. */
export function PublicEventHeader({ event, title }: { event: PublicEventRecord; title?: string }) {
  const logo = findSameSiteEventLogoPath(event);
  return (
    <header className="grid gap-3">
      {logo && <LogoRow src={logo} />}
      <div className="grid min-w-0 gap-0.5 wrap-anywhere">
        {title && (
          <p className="text-muted">
            <bdi>{event.name}</bdi>
          </p>
        )}
        <h1 className="text-2xl sm:text-3xl">{title ?? <bdi>{event.name}</bdi>}</h1>
        {!title && <EventDates event={event} />}
      </div>
    </header>
  );
}

type Props = { event: { startDate: string | null; endDate: string | null; timeZone: string | null } };

/** The days of an event in its own zone; renders nothing if they aren't known. */
function EventDates({ event }: Props) {
  const t = useTranslator("visitor");
  const locale = useLocale();
  const { first, last } = toEventFirstAndLastDay(event);
  const [from, to] = [first, last].map((day) => day && formatCalendarDate(day, locale));
  if (!from && !to) return null;
  if (!from) return <p className="text-muted">{t("datesUntil", { to: to ?? "" })}</p>;
  if (!to) return <p className="text-muted">{t("datesFrom", { from })}</p>;
  return <p className="text-muted">{from === to ? from : t("dates", { from, to })}</p>;
}
