/**
 * Maximum size of the contents of a page's form, without its files, which are sent to their own routes. This far
 * exceeds all field limits together, so that text that is too long returns to its form with an error at the field.
 */
export const MAX_FORM_CONTENT_BYTES = 3.5 * 1024 * 1024;
/**
 * Maximum size of the request body, which also has room for the encoding; the same as `serverActions.bodySizeLimit` in
 * next.config.mjs. Larger bodies are rejected before they are read.
 */
export const MAX_FORM_REQUEST_BODY_BYTES = 4 * 1024 * 1024;

/** Counts the bytes of a form's contents, without the encoding around them. */
export function countFormContentBytes(form: FormData): number {
  const utf8 = new TextEncoder();
  return [...form].reduce(
    (sum, [name, value]) =>
      sum + name.length + (typeof value === "string" ? utf8.encode(value).length : value.size),
    0,
  );
}
