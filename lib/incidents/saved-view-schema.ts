import { z } from "zod";
import type { ParsedIncidentsAcrossEventsQuery } from "#lib/incidents/list-schema.ts";
import { idOutput, singleLineInput, textInput, timeOutput } from "#lib/operation/fields.ts";

/** The current user's saved views: lists of incidents that they return to. */

export const MAX_SAVED_VIEWS = 30;
export const MAX_SAVED_VIEW_NAME_LENGTH = 60;

/**
 * The query parameters that make up a view, named as in the list (contract 7.12); the page number isn't one of them.
 */
const IN_SAVED_VIEWS = {
  status: true,
  severity: true,
  assigned: true,
  reporter: true,
  event: true,
  search: true,
  from: true,
  to: true,
  files: true,
  anonymous: true,
  escalated: true,
  pinned: true,
  due: true,
  awaiting: true,
  needsUs: true,
  sort: true,
  order: true,
} satisfies Record<Exclude<keyof ParsedIncidentsAcrossEventsQuery, "page" | "limit" | "priority">, true>;
export const SAVED_VIEW_QUERY_PARAMS = Object.keys(IN_SAVED_VIEWS) as (keyof typeof IN_SAVED_VIEWS)[];

/** Keeps only the parameters of a view, in a fixed order, so that equal views are equal texts. */
export function normalizeViewQuery(query: string): string {
  const params = new URLSearchParams(query);
  const entries = SAVED_VIEW_QUERY_PARAMS.flatMap((name) => {
    const value = params.get(name);
    return value ? [[name, value]] : [];
  });
  return new URLSearchParams(entries).toString();
}

export const NewSavedViewInput = z.object({
  name: singleLineInput(MAX_SAVED_VIEW_NAME_LENGTH),
  query: textInput(0, 2000)
    .transform((query) => normalizeViewQuery(query.replace(/^\?/, "")))
    .meta({ type: "string", maxLength: 2000 }),
});
export type NewSavedViewInput = z.output<typeof NewSavedViewInput>;

export const SavedView = z.object({
  id: idOutput,
  name: z.string(),
  query: z.string(),
  createdAt: timeOutput,
});
export type SavedView = z.input<typeof SavedView>;
