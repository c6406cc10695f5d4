import { z } from "zod";
import { idOut, line, text, time } from "#lib/operation/fields.ts";

/** Views of one's own: lists of incidents that somebody goes back to. */

export const MOST_VIEWS = 30;
export const VIEW_NAME_MAX = 60;

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
export function viewQueryOf(query: string): string {
  const given = new URLSearchParams(query);
  const kept = VIEW_PARAMS.flatMap((name) => {
    const value = given.get(name);
    return value ? [[name, value]] : [];
  });
  return new URLSearchParams(kept).toString();
}

export const NewView = z.object({
  name: line(1, VIEW_NAME_MAX),
  query: text(0, 2000)
    .transform((query) => viewQueryOf(query.replace(/^\?/, "")))
    .meta({ type: "string", maxLength: 2000 }),
});
export type NewView = z.output<typeof NewView>;

export const SavedView = z.object({ id: idOut, name: z.string(), query: z.string(), createdAt: time });
export type SavedView = z.input<typeof SavedView>;
