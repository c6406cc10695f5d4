import { ACCEPTED_EXTENSIONS, parseExtension } from "#lib/files/file-types.ts";
import { normalizeNfc } from "#lib/design/unicode.ts";
import { trimEndMatching } from "#lib/design/truncate.ts";

/** In characters, extension included. */
export const MAX_FILENAME_LENGTH = 255;

/**
 * Control characters, line and paragraph separators, and characters that reverse or hide text (bidi, zero width, BOM).
 */
const INVISIBLE_CHARACTERS =
  /[\p{Cc}\u2028\u2029\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
/** Device names that Windows reserves, with or without an extension. */
const WINDOWS_DEVICE_NAMES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/**
 * Returns the name under which an uploaded file is stored and shown: the last part of a path, without control
 * characters, direction overrides, separators, leading dots or reserved device names; at most 255 characters with its
 * extension preserved; never empty. It is only a label: no path is ever built from it.
 */
export function sanitizeFilename(name: string): string {
  const base = normalizeNfc(name.toWellFormed()).split(/[/\\]/).at(-1) ?? "";
  const visible = base.replace(INVISIBLE_CHARACTERS, "").replace(/[<>:"|?*]/g, "_");
  const bare = trimEndMatching(visible.replace(/^[.\s]+/, ""), /[.\s]/);
  const safe = bare.replace(WINDOWS_DEVICE_NAMES, "_$1");
  return truncateFilename(safe) || "file";
}

/** Replaces the extension of a file that was converted to another type: "IMG_5195.HEIC" becomes "IMG_5195.jpg". */
export const replaceExtension = (name: string, extension: string): string =>
  truncateFilename(`${name.replace(/\.[^.\s]{1,20}$/, "")}.${extension}`);

/**
 * Returns the name that a file is downloaded under. It has an extension of the file's actual type, so that no computer
 * opens the file as something else, such as a web page or a program: a PDF named "page.html" becomes "page.html.pdf".
 * The extension of another accepted type is replaced: a sound named "voice.mp3" that is in AAC becomes "voice.aac".
 * @param extensions those of its type, the usual one first; if empty, the name stays as it is
 */
export function toDownloadFilename(name: string, extensions: string[]): string {
  const [usual] = extensions;
  const own = parseExtension(name);
  if (!usual || extensions.includes(own)) return name;
  return ACCEPTED_EXTENSIONS.has(own) ? replaceExtension(name, usual) : truncateFilename(`${name}.${usual}`);
}

function truncateFilename(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_FILENAME_LENGTH) return name;
  const extension = [...(/\.[^.\s]{1,20}$/.exec(name)?.[0] ?? "")];
  return [...characters.slice(0, MAX_FILENAME_LENGTH - extension.length), ...extension].join("");
}
