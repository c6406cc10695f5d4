import { z } from "zod";
import { idOutput, textInput, timeTextOutput } from "#lib/operation/fields.ts";
import { incidentStateSchema } from "#lib/incidents/schema.ts";
import { DEFAULT_LOCALE, LOCALES } from "#lib/i18n/locales.ts";

/** The quick jump: a few words lead to an incident, an event, a person or a page that the caller may see. */

/** A single letter matches everything. */
export const MIN_JUMP_SEARCH_LENGTH = 2;
export const JumpQuery = z.object({
  search: textInput(MIN_JUMP_SEARCH_LENGTH, 200),
  /** The language of the page names. */
  language: z.enum(LOCALES).default(DEFAULT_LOCALE),
});
export type JumpQuery = z.output<typeof JumpQuery>;

/** Maximum number of incidents, of events and of people in a response; pages have a limit of their own. */
export const MAX_JUMP_RESULTS_PER_KIND = 6;

export const MAX_JUMP_PAGE_RESULTS = 8;

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
  /** By title, number, code name, id, or the id's first eight digits; newest first. */
  incidents: z.array(
    z.object({
      id: idOutput,
      number: z.int(),
      codeName: z.string(),
      title: z.string(),
      state: incidentStateSchema,
      createdAt: timeTextOutput,
      event: EventRef,
    }),
  ),
  /** By name or slug. */
  events: z.array(EventRef),
  /** By name, in events where the caller is on the team. */
  people: z.array(z.object({ id: idOutput, name: z.string(), event: EventRef })),
  /** Pages of events and organizations that the caller may open, by their own name and that of the page. */
  pages: z.array(z.object({ page: z.enum(JUMP_PAGE_NAMES), place: z.string(), path: z.string() })),
});
export type JumpResultsRecord = z.input<typeof JumpResults>;
