import { chooseTimeZoneForEventTimes } from "#lib/design/reader-zone.ts";
import { convertZonedTimeToUtc } from "#lib/wall-clock.ts";
import { formatDayInTimeZone } from "#lib/zoned-day.ts";

/** The first and last day of an event. Its times belong to its own zone, whoever reads them. */

type EventTimes = { startDate: string | null; endDate: string | null; timeZone: string | null };

/** An event's first and last day, as "YYYY-MM-DD". */
type EventFirstAndLastDay = { first: string | null; last: string | null };

/** Converts an event's times to its first and last day. @param event with times in ISO 8601, as in responses */
export function toEventFirstAndLastDay({ startDate, endDate, timeZone }: EventTimes): EventFirstAndLastDay {
  const zone = isGivenInDays(startDate, endDate) ? "UTC" : chooseTimeZoneForEventTimes(null, timeZone);
  const dayOf = (time: string | null) => time && formatDayInTimeZone(new Date(time), zone);
  return { first: dayOf(startDate), last: dayOf(endDate) };
}

/**
 * Returns whether an API client gave dates without a time of day, which are midnights in UTC (contract 3.6): those are
 * the days meant, although an evening west of Greenwich reads the same.
 */
const isGivenInDays = (startDate: string | null, endDate: string | null): boolean =>
  (startDate === null || startDate.endsWith("T00:00:00.000Z")) &&
  (endDate === null || /T(?:00:00|23:59):00\.000Z$/.test(endDate));

/** Returns the moment at which the day begins in the event's zone; null without a day or for an unknown zone. */
export const toStartOfEventDay = (day: string, timeZone: string | null): string | null =>
  day && convertZonedTimeToUtc(`${day}T00:00`, chooseTimeZoneForEventTimes(null, timeZone));

/** Returns the last minute of the day in the event's zone, since the last day is part of the event. */
export const toEndOfEventDay = (day: string, timeZone: string | null): string | null =>
  day && convertZonedTimeToUtc(`${day}T23:59`, chooseTimeZoneForEventTimes(null, timeZone));
