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
 * Returns whether the times can be dates without a time of day, which an API client may give and which become midnights
 * in UTC (contract 3.6); the end may also be the last minute of a day in UTC. Such times are read as days in UTC. An
 * event that begins in the evening west of Greenwich can have the same times, and is read in UTC, too.
 */
const isGivenInDays = (startDate: string | null, endDate: string | null): boolean =>
  (startDate === null || startDate.endsWith("T00:00:00.000Z")) &&
  (endDate === null || /T(?:00:00|23:59):00\.000Z$/.test(endDate));

/** Returns when the day begins in the event's zone; null if the day or the zone doesn't exist, "" without a day. */
export const toStartOfEventDay = (day: string, timeZone: string | null): string | null =>
  day && convertZonedTimeToUtc(`${day}T00:00`, chooseTimeZoneForEventTimes(null, timeZone));

/** Returns the last minute of the day in the event's zone, since the last day is part of the event. */
export const toEndOfEventDay = (day: string, timeZone: string | null): string | null =>
  day && convertZonedTimeToUtc(`${day}T23:59`, chooseTimeZoneForEventTimes(null, timeZone));
