import { toEndOfEventDay, toStartOfEventDay, toEventFirstAndLastDay } from "#lib/events/event-days.ts";
import { findTimeZoneByText } from "#lib/time-zones.ts";

type EventFormValues = Partial<Record<string, string>>;

/**
 * Like `parseEventDays` for an event that exists: leaves out a time whose day didn't change, since an API client may
 * have given it a time of day. `startedAt`, `endedAt` and `zoneBefore` are what the form showed.
 */
export function parseChangedEventDays({
  startedAt,
  endedAt,
  zoneBefore,
  ...values
}: EventFormValues): Partial<ReturnType<typeof parseEventDays>> {
  const given = parseEventDays(values);
  if (findTimeZoneByText(values.timeZone ?? "") !== (zoneBefore || null)) return given;
  const before = toEventFirstAndLastDay({
    startDate: startedAt || null,
    endDate: endedAt || null,
    timeZone: zoneBefore || null,
  });
  return {
    ...given,
    ...(before.first === (values.startDate || null) && { startDate: undefined }),
    ...(before.last === (values.endDate || null) && { endDate: undefined }),
  };
}

/**
 * Turns the first and last day of an event form into times of the zone that it names. A zone that doesn't exist is
 * passed on for the operation to refuse.
 */
export function parseEventDays({ startDate = "", endDate = "", timeZone = "" }: EventFormValues) {
  const zone = findTimeZoneByText(timeZone);
  return {
    startDate: startDate ? (toStartOfEventDay(startDate, zone) ?? startDate) : null,
    endDate: endDate ? (toEndOfEventDay(endDate, zone) ?? endDate) : null,
    timeZone: timeZone.trim() || null,
  };
}
