import { z } from "zod";
import { idOutput, singleLineInput, textInput, timeOutput } from "#lib/operation/fields.ts";

/** Views of one's own: lists of incidents that somebody goes back to. */

export const MAX_SAVED_VIEWS = 30;
export const MAX_VIEW_NAME_LENGTH = 60;

/** What of an address makes a view, by the names of the list (contract 7.12); a page of it is none. */
export const VIEW_PARAMS = [
  "status",
  "severity",
  "assigned",
  "event",
  "search",
  "from",
  "to",
  "files",
  "anonymous",
  "escalated",
  "pinned",
  "due",
  "awaiting",
  "sort",
  "order",
] as const;

/** A query without what is no part of a view, in one order, so that the same view is the same text. */
export function normalizeViewQuery(query: string): string {
  const params = new URLSearchParams(query);
  const entries = VIEW_PARAMS.flatMap((name) => {
    const value = params.get(name);
    return value ? [[name, value]] : [];
  });
  return new URLSearchParams(entries).toString();
}

export const NewSavedView = z.object({
  name: singleLineInput(1, MAX_VIEW_NAME_LENGTH),
  query: textInput(0, 2000)
    .transform((query) => normalizeViewQuery(query.replace(/^\?/, "")))
    .meta({ type: "string", maxLength: 2000 }),
});
export type NewSavedView = z.output<typeof NewSavedView>;

export const SavedView = z.object({
  id: idOutput,
  name: z.string(),
  query: z.string(),
  createdAt: timeOutput,
});
export type SavedView = z.input<typeof SavedView>;
