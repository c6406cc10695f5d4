import { cache } from "react";
import {
  createEventTimeFormatOptionsLookup,
  chooseTimeZoneForEventTimes,
  chooseTimeZoneOutsideEvents,
  type ReaderTimeZones,
} from "#lib/design/reader-zone.ts";
import type { TimeFormatOptions } from "#lib/design/time.ts";
import { getMessages, type MessageNamespace } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { createTranslator, type Translator } from "./translator.ts";

/** Implements `#i18n` for server components: all messages, in the language of this request. */

type RequestState = {
  locale: Locale;
  path: string;
  /** The reader of the page; null for a visitor. */
  reader: ReaderTimeZones;
  /** The zone of the event that the page belongs to; undefined for a page of no event. */
  eventTimeZone?: string | null;
};

const requestState = cache((): RequestState => ({
  locale: DEFAULT_LOCALE,
  path: "/",
  reader: null,
}));

/**
 * Sets language, path and reader once per request and part of the page, before anything renders; called by
 * `definePage`.
 */
export function setPageLanguagePathAndReader(state: Omit<RequestState, "eventTimeZone">): void {
  Object.assign(requestState(), state);
}

/** Sets the zone of a page that belongs to an event, once the event is loaded. */
export function setPageEventZone(timeZone: string | null): void {
  requestState().eventTimeZone = timeZone;
}

/**
 * Returns the language and time zone in which this page writes times: the reader's own zone, else that of the page's
 * event.
 */
export function useTimeFormatOptions(): TimeFormatOptions {
  const { locale, reader, eventTimeZone } = requestState();
  const timeZone =
    eventTimeZone === undefined
      ? chooseTimeZoneOutsideEvents(reader)
      : chooseTimeZoneForEventTimes(reader, eventTimeZone);
  return { locale, timeZone };
}

/** Like `useTimeFormatOptions`, for a page about several events, each with its own zone. */
export function useTimeFormatOptionsByEvent(): (eventId: string) => TimeFormatOptions {
  const { locale, reader } = requestState();
  return createEventTimeFormatOptionsLookup(reader, locale);
}

/**
 * Returns the path and query of the page, for forms that return to it. Not for layouts, which outlive a page.
 */
export function usePagePathWithQuery(): string {
  return requestState().path;
}

/** Returns the language of the page. */
export function useLocale(): Locale {
  return requestState().locale;
}

export function useTranslator<Name extends MessageNamespace>(namespace: Name): Translator<Name> {
  const locale = useLocale();
  return createTranslator<Name>(locale, getMessages(locale, namespace));
}
