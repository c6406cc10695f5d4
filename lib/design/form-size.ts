/**
 * How many bytes a form of a page may hold, its files apart, which go to routes of their own. Far more than all limits
 * together, so that what is too long comes back into its form, with words at the field. What even this doesn't hold is
 * refused before it is read; `serverActions.bodySizeLimit` in next.config.mjs leaves room for what wraps it.
 */
export const MAX_FORM_BYTES = 3.5 * 1024 * 1024;
export const MAX_FORM_BODY_BYTES = 4 * 1024 * 1024;

/** The bytes of what a form holds, without what wraps it on its way. */
export function countFormBytes(form: FormData): number {
  const utf8 = new TextEncoder();
  return [...form].reduce(
    (sum, [name, value]) =>
      sum + name.length + (typeof value === "string" ? utf8.encode(value).length : value.size),
    0,
  );
}
