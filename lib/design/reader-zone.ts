import { env } from "#lib/env.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import type { TimeFormatOptions } from "./time.ts";

/**
 * A reader of times: the time zone that they chose, if any, and the zones of the events in which they have a role. Null
 * for a visitor.
 */
export type ReaderTimeZones = {
  timeZone?: string | null;
  events: readonly { eventId: string; timeZone?: string | null }[];
} | null;

/** Chooses the zone for times of an event: the reader's own choice, else the event's zone, else the installation's. */
export const chooseTimeZoneForEventTimes = (
  reader: ReaderTimeZones,
  eventTimeZone: string | null | undefined,
): string => reader?.timeZone ?? eventTimeZone ?? env().timeZone;

/**
 * Chooses the zone for times that belong to no event: the reader's own choice, else the zone that all of their events
 * have, else the installation's.
 */
export const chooseTimeZoneOutsideEvents = (reader: ReaderTimeZones): string =>
  chooseTimeZoneOfEvents(reader, reader?.events ?? []);

/** Chooses one zone for times of several events: the reader's own choice, else theirs if all have the same. */
export function chooseTimeZoneOfEvents(
  reader: ReaderTimeZones,
  events: readonly { timeZone?: string | null }[],
): string {
  const [zone, ...others] = new Set(events.map(({ timeZone }) => timeZone));
  return reader?.timeZone ?? (others.length === 0 ? zone : null) ?? env().timeZone;
}

/** Returns a function that returns the options of one of the reader's events, for texts about several events. */
export function createEventTimeFormatOptionsLookup(
  reader: ReaderTimeZones,
  locale: Locale,
): (eventId: string) => TimeFormatOptions {
  const zones = new Map(reader?.events.map(({ eventId, timeZone }) => [eventId, timeZone]));
  return (eventId) => ({ locale, timeZone: chooseTimeZoneForEventTimes(reader, zones.get(eventId)) });
}
