import { z } from "zod";
import { idOut, text, timeText } from "#lib/operation/fields.ts";
import { STATES } from "#lib/incidents/schema.ts";
import { DEFAULT_LOCALE, LOCALES } from "#lib/i18n/locales.ts";

/** The quick jump: a few words lead to an incident, an event or a person that the caller may see. */

/** One letter finds everything and says nothing. */
export const JUMP_MIN = 2;
export const JumpQuery = z.object({
  search: text(JUMP_MIN, 200),
  /** The language in which pages are named. */
  language: z.enum(LOCALES, `must be one of ${LOCALES.join(", ")}`).default(DEFAULT_LOCALE),
});
export type JumpQuery = z.output<typeof JumpQuery>;

/** How many of each kind are given at most. */
export const JUMP_LIMIT = 6;

export const JUMP_PAGES_LIMIT = 8;

const JUMP_PAGES = [
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
export type JumpPageName = (typeof JUMP_PAGES)[number];

const EventRef = z.object({ id: idOut, name: z.string(), slug: z.string() });

export const JumpResults = z.object({
  /** By title, id, or the first eight digits of one; the newest first. */
  incidents: z.array(
    z.object({ id: idOut, title: z.string(), state: z.enum(STATES), createdAt: timeText, event: EventRef }),
  ),
  /** By name or short name. */
  events: z.array(EventRef),
  /** By name; of the events on whose team the caller is. */
  people: z.array(z.object({ id: idOut, name: z.string(), event: EventRef })),
  /** Pages of events and organizations that the caller may open, by their names and that of their place. */
  pages: z.array(z.object({ page: z.enum(JUMP_PAGES), place: z.string(), path: z.string() })),
});
export type JumpRecord = z.input<typeof JumpResults>;
