/**
 * Inspects files in a separate process: an upload may be built to keep a parser busy forever or to fill the memory, and
 * then only this process dies. The service starts it by its path, so the bundler never sees it. Runs one job at a time;
 * the parent enforces the time limit.
 */
import { readFile, writeFile } from "node:fs/promises";
import { flushCompileCache } from "node:module";
import os from "node:os";
import { Worker } from "node:worker_threads";
import ExifReader from "exifreader";
import { isAnimatedPng, isPictureMetadataFree } from "./containers.ts";
import type { DocumentCleaningResult } from "./document-copy.ts";
import {
  type FileCleaningState,
  collectImageFieldNamesAndValues,
  type RevealedCategory,
  REVEALED_CATEGORIES,
  listRevealedMetadataCategories,
} from "./reveals.ts";
import { listXmpFieldNames } from "./xmp.ts";

/** If there is something to remove from the file, the copy is written to `target`. */
export type FileCleaningJob = {
  kind: "image" | "pdf" | "office" | "oldOffice" | "media";
  path: string;
  mimetype: string;
  target: string;
  /**
   * The report is anonymous: also remove what no PDF viewer shows, such as `%` comments between objects, and refuse
   * documents in which the path of somebody's home folder is left.
   */
  anonymous: boolean;
};

/** If the state is `cleaned`, the copy exists at the job's `target`. */
export type FileCleaningResult = { state: FileCleaningState; reveals: RevealedCategory[] };

/** The first message of the process says that it has loaded, and has no finding; each further one has a job's. */
export type FileCleaningMessage = { id?: number; finding?: FileCleaningResult };

/** Twice the memory needed to rotate a photograph of 64 million pixels. */
const MAX_MEMORY_BYTES = 768 * 1024 * 1024;

try {
  os.setPriority(0, 5);
} catch {
  // Not every system allows a lower priority; without it, the process competes with the service on equal terms.
}

// A heap limit isn't enough: what a parser unpacks lies outside the heap.
new Worker(
  `setInterval(() => { if (process.memoryUsage.rss() > ${MAX_MEMORY_BYTES}) process.kill(process.pid, "SIGKILL"); }, 20);`,
  { eval: true },
).unref();

const send = (message: FileCleaningMessage): void => void process.send?.(message);

// Ends together with the server, since nothing waits for the result then.
process.once("disconnect", () => process.exit());
// Node keeps compiled code when a process exits, but most of these are killed.
let isFirst = true;
process.on("message", async ({ id, job }: { id: number; job: FileCleaningJob }) => {
  const finding = await inspect(job).catch((): FileCleaningResult => ({
    state: "not_inspected",
    reveals: [...REVEALED_CATEGORIES],
  }));
  send({ id, finding });
  if (isFirst) flushCompileCache();
  isFirst = false;
});
send({});

/** Inspects and cleans a file. @throws Error when the file can't be read to its end */
async function inspect(job: FileCleaningJob): Promise<FileCleaningResult> {
  return INSPECTORS[job.kind](await readFile(job.path), job);
}

/** Each format's reader is loaded when the first file of that format arrives. */
const INSPECTORS: Record<
  FileCleaningJob["kind"],
  (bytes: Buffer, job: FileCleaningJob) => Promise<FileCleaningResult>
> = {
  image: inspectImage,
  pdf: async (bytes, job) =>
    saveCopy(
      await (
        await import("./pdf-copy.ts")
      ).stripPdfMetadata(bytes, { readPictureFields: listPictureFieldNames, alwaysRewrite: job.anonymous }),
      job,
    ),
  office: async (bytes, job) =>
    saveCopy(
      await (
        await import("./office-copy.ts")
      ).stripOfficeMetadata(bytes, listPictureFieldNames, { refuseHomePaths: job.anonymous }),
      job,
    ),
  oldOffice: async (bytes) =>
    createNotCleanableResult((await import("./old-office.ts")).listLegacyOfficeMetadataFieldNames(bytes)),
  media: async (bytes) =>
    createNotCleanableResult(await (await import("./media.ts")).listMediaMetadataFieldNames(bytes)),
};

async function inspectImage(
  bytes: Buffer,
  { path, mimetype, target }: FileCleaningJob,
): Promise<FileCleaningResult> {
  if (isPictureMetadataFree(bytes, mimetype)) return { state: "clean", reveals: [] };
  const names = await listImageFieldNames(bytes).catch(() => null);
  const reveals = names ? listRevealedMetadataCategories(names) : [...REVEALED_CATEGORIES];
  const { reencodePicture } = await import("./picture-copy.ts");
  const isCopied = !isAnimatedPng(bytes, mimetype) && (await reencodePicture(path, { mimetype, target }));
  if (isCopied) return { state: "cleaned", reveals };
  if (!names) throw new Error("The metadata of this picture can't be read.");
  return { state: "not_cleanable", reveals };
}

async function saveCopy(
  { names, copy, stuck }: DocumentCleaningResult,
  { target }: FileCleaningJob,
): Promise<FileCleaningResult> {
  if (copy) await writeFile(target, copy, { mode: 0o600 });
  return {
    state: stuck ? "not_cleanable" : copy ? "cleaned" : "clean",
    reveals: listRevealedMetadataCategories(names),
  };
}

const createNotCleanableResult = (names: string[]): FileCleaningResult => ({
  state: "not_cleanable",
  reveals: listRevealedMetadataCategories(names),
});

/**
 * Lists the filled EXIF, IPTC, PNG text and XMP fields; empty when a picture has no metadata.
 * @throws Error when they can't be read
 */
async function listImageFieldNames(bytes: Buffer): Promise<string[]> {
  const groups: { exif?: object } = await ExifReader.load(bytes, { expanded: true, async: true }).catch(
    (error: unknown) => {
      if (error instanceof ExifReader.errors.MetadataMissingError) return {};
      throw error;
    },
  );
  // ExifReader returns an empty group for EXIF that it can't read.
  if (groups.exif && Object.keys(groups.exif).length === 0) throw new Error("This EXIF can't be read.");
  const { names, values } = collectImageFieldNamesAndValues(groups);
  // PNG may hold XMP as compressed text, and GIF holds it where ExifReader doesn't look.
  return [...names, ...[bytes, ...values].flatMap(listXmpFieldNames)];
}

/**
 * Like `listImageFieldNames`, for a picture that loses its metadata anyway: an unreadable one counts as revealing
 * everything.
 */
const listPictureFieldNames = (bytes: Buffer): Promise<string[]> =>
  listImageFieldNames(bytes).catch(() => ["GPSPosition", "Model", "Date", "Author"]);
