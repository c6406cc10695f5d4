import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { detectSafePlainTextFileEncoding } from "#lib/files/upload/text-encoding.ts";
import { chooseCleanCopyType } from "./containers.ts";
import type { PersonAwaitingFileInspection } from "./inspection-queue.ts";
import { inspectAndCleanFileInChildProcess } from "./inspector.ts";
import { type FileCleaningState, type RevealedCategory, REVEALED_CATEGORIES } from "./reveals.ts";

export type UploadCleaningResult = {
  state: FileCleaningState;
  reveals: RevealedCategory[];
  copy: CleanCopy | null;
};

/**
 * A cleaned copy, stored next to the upload in its temporary folder. Its type may differ from the upload's. Size in
 * bytes.
 */
type CleanCopy = { path: string; size: number; sha256: string; mimetype: string };

/**
 * Finds out what hidden data an uploaded file holds, and makes the copy that the team works with. Images are decoded
 * and re-encoded upright in sRGB; PDFs and office documents lose the data that identifies their authors. Other files
 * stay as they are. Never changes the upload itself; a file that can't be read or cleaned is not an error.
 * @throws AppError SERVICE_UNAVAILABLE when too many files are waiting
 */
export async function inspectAndCleanUpload(
  path: string,
  mimetype: string,
  uploader: PersonAwaitingFileInspection,
): Promise<UploadCleaningResult> {
  const anonymous = uploader.anonymous ?? false;
  if (mimetype === "text/plain")
    return anonymous && (await hasNamingFormat(path))
      ? { state: "not_cleanable", reveals: [...REVEALED_CATEGORIES], copy: null }
      : { state: "clean", reveals: [], copy: null };
  const kind = INSPECTION_KINDS.find(([start]) => mimetype.startsWith(start))?.[1] ?? "oldOffice";
  const target = `${path}.clean`;
  const { reveals, state } = await inspectAndCleanFileInChildProcess(
    { kind, path, mimetype, target, anonymous },
    uploader,
  );
  if (state === "cleaned") return { state, reveals, copy: await measureCopy(target, mimetype) };
  // An interrupted job may have left a partial copy.
  await rm(target, { force: true });
  return { state, reveals, copy: null };
}

/** Lines of plain-text formats that carry names: RTF, vCard and iCalendar, and the headers of emails. */
const NAMING_LINES = [
  /^[ \t]*(\{\\rtf|BEGIN:V(CARD|CALENDAR))/im,
  /^(delivered-to|received|return-path|message-id|mime-version|dkim-signature):/im,
];
const LINE_ENDS = ["\n", "\r", "\u2028", "\u2029"];
/** Longer than the start of a line that the patterns need. */
const MAX_LINE_START_LENGTH = 256;
/** Stands for a line whose start was tested already. */
const TESTED_LINE_START = "-";

/** Tests every line of a text, which may be longer than the memory should hold. */
async function hasNamingFormat(path: string): Promise<boolean> {
  const decoder = new TextDecoder((await detectSafePlainTextFileEncoding(path)) ?? "utf-8");
  let lastLine = "";
  for await (const bytes of createReadStream(path, { highWaterMark: 64 * 1024 })) {
    const text = lastLine + decoder.decode(bytes as Buffer, { stream: true });
    if (NAMING_LINES.some((pattern) => pattern.test(text))) return true;
    lastLine = text.slice(Math.max(...LINE_ENDS.map((end) => text.lastIndexOf(end))) + 1);
    if (lastLine.length > MAX_LINE_START_LENGTH) lastLine = TESTED_LINE_START;
  }
  return false;
}

const INSPECTION_KINDS = [
  ["image/", "image"],
  ["application/pdf", "pdf"],
  ["application/vnd.openxmlformats-officedocument.", "office"],
  ["application/vnd.oasis.opendocument.", "office"],
  ["audio/", "media"],
  ["video/", "media"],
] as const;

async function measureCopy(path: string, original: string): Promise<CleanCopy> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  const size = (await stat(path)).size;
  return { path, size, sha256: hash.digest("hex"), mimetype: chooseCleanCopyType(original) };
}
