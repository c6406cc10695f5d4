import { createNotFoundError } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";

/** Ids and slugs in paths. */

/** Returns an id from a path. Malformed ids become the nil UUID, which matches no record, so the result is 404. */
export function parsePathIdOrNilUuid(text: string | undefined): string {
  const id = text?.toLowerCase() ?? "";
  return UUID_PATTERN.test(id) ? id : "00000000-0000-0000-0000-000000000000";
}

/** Returns a slug from a path. A malformed slug becomes one that matches no record, so the result is 404. */
export const parsePathSlugOrPlaceholder = (text: string | undefined): string =>
  text && /^[a-z0-9-]{1,80}$/.test(text) ? text : "-";

/**
 * Returns a slug from a path.
 * @throws AppError NOT_FOUND when it is malformed
 */
export function requirePathSlug(slug: string | undefined): string {
  if (slug === undefined || !/^[a-z0-9-]{1,80}$/.test(slug)) throw createNotFoundError();
  return slug;
}
