/**
 * Reads a small form sent by a browser. Returns null, without reading anything, when the body is longer than
 * `maxBytes` or doesn't declare its length.
 */
export async function readFormIfWithinLimit(request: Request, maxBytes: number): Promise<FormData | null> {
  const length = request.headers.get("content-length");
  if (length === null || !(Number(length) <= maxBytes)) return null;
  return request.formData().catch(() => new FormData());
}
