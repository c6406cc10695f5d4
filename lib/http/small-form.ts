/**
 * What a small form of a browser holds; null for a body that is longer, or doesn't say how long it is: of that nothing is
 * read, whoever sends it.
 */
export async function readSmallForm(request: Request, maxBytes: number): Promise<FormData | null> {
  const length = request.headers.get("content-length");
  if (length === null || !(Number(length) <= maxBytes)) return null;
  return request.formData().catch(() => new FormData());
}
