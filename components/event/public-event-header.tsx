import { LogoRow } from "./logo-row.tsx";
import { EventDates } from "./event-dates.tsx";
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
