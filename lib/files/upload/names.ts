import { normalizeNfc } from "#lib/design/compose.ts";
import { trimEndMatching } from "#lib/design/cut.ts";

/** Characters of a file's name. */
export const MAX_FILENAME_LENGTH = 255;

/** Control characters, line and paragraph separators, and what reverses or hides text (bidi, zero width, BOM). */
const INVISIBLE_CHARACTERS =
  /[\p{Cc}\u2028\u2029\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
/** Names that Windows keeps for devices, with or without an extension. */
const WINDOWS_DEVICE_NAMES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/**
 * The name of an uploaded file as it is stored and shown: the last part of a path, without control
 * characters, direction overrides, separators, leading dots or reserved device names, at most 255
 * characters with its extension kept, never empty. It is a label only: no path is ever made of it.
 */
export function sanitizeFilename(name: string): string {
  const base = normalizeNfc(name.toWellFormed()).split(/[/\\]/).at(-1) ?? "";
  const visible = base.replace(INVISIBLE_CHARACTERS, "").replace(/[<>:"|?*]/g, "_");
  const bare = trimEndMatching(visible.replace(/^[.\s]+/, ""), /[.\s]/);
  const safe = bare.replace(WINDOWS_DEVICE_NAMES, "_$1");
  return truncateFilename(safe) || "file";
}

/** The name of a file that became one of another kind: "IMG_5195.HEIC" is "IMG_5195.jpg". */
export const replaceExtension = (name: string, extension: string): string =>
  truncateFilename(`${name.replace(/\.[^.\s]{1,20}$/, "")}.${extension}`);

/**
 * The name that a file is handed out by: with the ending of what it is, so that nobody's computer opens it as something
 * else, a web page or a program. "page.html" that holds a PDF is "page.html.pdf".
 * @param extensions of its type, the usual one first; none where the type has no say
 */
export function toDownloadFilename(name: string, extensions: string[]): string {
  const [usual] = extensions;
  const own = /\.([^.\s]{1,20})$/.exec(name)?.[1]?.toLowerCase();
  return !usual || (own && extensions.includes(own)) ? name : truncateFilename(`${name}.${usual}`);
}

function truncateFilename(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_FILENAME_LENGTH) return name;
  const extension = [...(/\.[^.\s]{1,20}$/.exec(name)?.[0] ?? "")];
  return [...characters.slice(0, MAX_FILENAME_LENGTH - extension.length), ...extension].join("");
}
