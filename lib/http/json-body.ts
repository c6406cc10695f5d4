import type { ApiRequest, ApiRequestHeaders } from "#lib/operation/request.ts";
import { AppError } from "#lib/operation/errors.ts";

/** Maximum size of JSON bodies: the longest text fits with each letter escaped as `\uXXXX` (contract 3.8). */
export const MAX_JSON_BYTES = 256 * 1024;

/**
 * Reads a JSON body; refuses one that is too large while it streams.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON
 */
export async function readJsonBody(request: ApiRequest): Promise<unknown> {
  refuseOtherContentTypes(request.headers);
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > MAX_JSON_BYTES) throw createJsonTooLargeError();
  const bytes = await readBytes(request);
  return parseJson(bytes);
}

function refuseOtherContentTypes(headers: ApiRequestHeaders): void {
  const type = headers.get("content-type") ?? "";
  const json = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type.trim());
  const encoding = headers.get("content-encoding") ?? "identity";
  if (json && encoding === "identity") return;
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", "bodyNotJson");
}

async function readBytes(request: ApiRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > MAX_JSON_BYTES) throw createJsonTooLargeError();
      chunks.push(part.value);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("INVALID_JSON", "bodyIncomplete");
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

const createJsonTooLargeError = () =>
  new AppError("PAYLOAD_TOO_LARGE", "bodyTooLarge", { max: MAX_JSON_BYTES / 1024 });

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (text.includes("{") && hasDuplicateKey(text)) throw new Error("a name stands twice");
    return value;
  } catch {
    throw new AppError("INVALID_JSON", "bodyInvalidJson");
  }
}

/**
 * Returns whether an object in this valid JSON text has a duplicate name: JSON.parse silently takes the last value, and
 * other parsers the first.
 */
function hasDuplicateKey(text: string): boolean {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "{") open.push(new Set());
    else if (character === "[") open.push(null);
    else if (character === "}" || character === "]") open.pop();
    if (character !== '"') continue;
    const end = findStringEnd(text, at);
    const keys = open.at(-1);
    if (keys && isMemberName(text, end)) {
      const key = JSON.parse(text.slice(at, end)) as string;
      if (keys.has(key)) return true;
      keys.add(key);
    }
    at = end - 1;
  }
  return false;
}

/** Returns the index after the string that begins at `start`. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Returns whether the string that ends here is followed by a colon, and so is the name of a member. */
function isMemberName(text: string, end: number): boolean {
  let at = end;
  while (" \t\n\r".includes(text[at] ?? ":")) at += 1;
  return text[at] === ":";
}
