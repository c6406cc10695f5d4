import { notFound } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";

/** What a path names a record by. */

/** An id from a path. What can't be an id becomes the one that nothing has, and so is not found. */
export function idInPath(text: string | undefined): string {
  const id = text?.toLowerCase() ?? "";
  return UUID_PATTERN.test(id) ? id : "00000000-0000-0000-0000-000000000000";
}

/** A slug from a path. What can't be one becomes one that nothing has, and so is not found. */
export const slugInPath = (text: string | undefined): string =>
  text && /^[a-z0-9-]{1,80}$/.test(text) ? text : "-";

/** A slug from a path. @throws AppError NOT_FOUND for what can't be one */
export function mustBeSlug(slug: string | undefined): string {
  if (slug === undefined || !/^[a-z0-9-]{1,80}$/.test(slug)) throw notFound();
  return slug;
}
