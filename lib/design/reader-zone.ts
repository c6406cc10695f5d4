import { env } from "#lib/env.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import type { TimeFormat } from "./time.ts";

/** In which time zone somebody reads times; null for a visitor. The zones of events are those of the person's roles. */
export type TimeZoneReader = {
  timeZone?: string | null;
  events: readonly { eventId: string; timeZone?: string | null }[];
} | null;

/** For times of an event: the reader's own choice, else the event's zone, else the installation's. */
export const chooseEventTimeZone = (
  reader: TimeZoneReader,
  eventTimeZone: string | null | undefined,
): string => reader?.timeZone ?? eventTimeZone ?? env().timeZone;

/** For times of no event: the reader's own choice, else the zone that all of their events have, else the installation's. */
export function chooseReaderTimeZone(reader: TimeZoneReader): string {
  const [zone, ...others] = new Set(reader?.events.map(({ timeZone }) => timeZone));
  return reader?.timeZone ?? (others.length === 0 ? zone : null) ?? env().timeZone;
}

/** Returns how the times of each of the reader's events are written, for what is about several of them. */
export function createEventTimeFormat(
  reader: TimeZoneReader,
  locale: Locale,
): (eventId: string) => TimeFormat {
  const zones = new Map(reader?.events.map(({ eventId, timeZone }) => [eventId, timeZone]));
  return (eventId) => ({ locale, timeZone: chooseEventTimeZone(reader, zones.get(eventId)) });
}
