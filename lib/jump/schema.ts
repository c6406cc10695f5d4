import { z } from "zod";
import { idOutput, textInput, timeTextOutput } from "#lib/operation/fields.ts";
import { INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { DEFAULT_LOCALE, LOCALES } from "#lib/i18n/locales.ts";

/** The quick jump: a few words lead to an incident, an event or a person that the caller may see. */

/** One letter finds everything and says nothing. */
export const MIN_JUMP_SEARCH_LENGTH = 2;
export const JumpQuery = z.object({
  search: textInput(MIN_JUMP_SEARCH_LENGTH, 200),
  /** The language in which pages are named. */
  language: z.enum(LOCALES, `must be one of ${LOCALES.join(", ")}`).default(DEFAULT_LOCALE),
});
export type JumpQuery = z.output<typeof JumpQuery>;

/** How many of each kind are given at most. */
export const MAX_JUMP_RESULTS = 6;

export const MAX_JUMP_PAGES = 8;

const JUMP_PAGE_NAMES = [
  "report",
  "reports",
  "team",
  "invites",
  "settings",
  "conduct",
  "audit",
  "events",
  "members",
  "insights",
  "webhooks",
] as const;
export type JumpPageName = (typeof JUMP_PAGE_NAMES)[number];

const EventRef = z.object({ id: idOutput, name: z.string(), slug: z.string() });

export const JumpResults = z.object({
  /** By title, id, or the first eight digits of one; the newest first. */
  incidents: z.array(
    z.object({
      id: idOutput,
      title: z.string(),
      state: z.enum(INCIDENT_STATES),
      createdAt: timeTextOutput,
      event: EventRef,
    }),
  ),
  /** By name or short name. */
  events: z.array(EventRef),
  /** By name; of the events on whose team the caller is. */
  people: z.array(z.object({ id: idOutput, name: z.string(), event: EventRef })),
  /** Pages of events and organizations that the caller may open, by their names and that of their place. */
  pages: z.array(z.object({ page: z.enum(JUMP_PAGE_NAMES), place: z.string(), path: z.string() })),
});
export type JumpResultsRecord = z.input<typeof JumpResults>;
