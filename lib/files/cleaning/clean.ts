import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { chooseCleanCopyType } from "./containers.ts";
import type { FileInspectionPlace } from "./inspection-queue.ts";
import { inspectAndCleanFileInChildProcess } from "./inspector.ts";
import type { LostPart } from "./lost-parts.ts";
import type { FileCleaningState, RevealedCategory } from "./reveals.ts";
import { inspectTextFormat } from "./text-formats.ts";

export type UploadCleaningResult = {
  state: FileCleaningState;
  reveals: RevealedCategory[];
  copy: CleanCopy | null;
  /** What the copy leaves out beside metadata. */
  lost: LostPart[];
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
  { anonymous, ...place }: FileInspectionPlace & { anonymous: boolean },
): Promise<UploadCleaningResult> {
  if (mimetype === "text/plain") return inspectText(path, { anonymous });
  const kind = INSPECTION_KINDS.find(([start]) => mimetype.startsWith(start))?.[1] ?? "oldOffice";
  const target = `${path}.clean`;
  const {
    reveals,
    state,
    lost = [],
  } = await inspectAndCleanFileInChildProcess({ kind, path, mimetype, target, anonymous }, place);
  if (state === "cleaned") return { state, reveals, lost, copy: await measureCopy(target, mimetype) };
  // An interrupted job may have left a partial copy.
  await rm(target, { force: true });
  return { state, reveals, lost: [], copy: null };
}

/** A text isn't changed. In an anonymous report, the format alone counts: a contact is made to name somebody. */
async function inspectText(
  path: string,
  { anonymous }: { anonymous: boolean },
): Promise<UploadCleaningResult> {
  const { reveals, namesPeople } = await inspectTextFormat(path);
  const isClean = reveals.length === 0 && !(anonymous && namesPeople);
  return { state: isClean ? "clean" : "not_cleanable", reveals, lost: [], copy: null };
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
