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
import {
  hasPictureComment,
  isAnimation,
  isPictureMetadataFree,
  replaceUnknownHeifBrand,
} from "./containers.ts";
import type { DocumentCleaningResult } from "./document-copy.ts";
import { type LostPart, listLostParts } from "./lost-parts.ts";
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
export type FileCleaningResult = {
  state: FileCleaningState;
  reveals: RevealedCategory[];
  /** What the copy leaves out beside metadata; nothing if missing. */
  lost?: LostPart[];
};

/**
 * The first message of a job holds nothing else and says that the reader of its format has loaded; the last one holds the
 * finding. An image that is decoded has one between them with its pixels, by which the parent limits the time.
 */
export type FileCleaningMessage = { id?: number; pixels?: number; finding?: FileCleaningResult };

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
  const finding = await inspect(job, () => send({ id })).catch((): FileCleaningResult => ({
    state: "not_inspected",
    reveals: [...REVEALED_CATEGORIES],
  }));
  send({ id, finding });
  if (isFirst) flushCompileCache();
  isFirst = false;
});

/** Inspects and cleans a file. @throws Error when the file can't be read to its end */
async function inspect(job: FileCleaningJob, onLoaded: () => void): Promise<FileCleaningResult> {
  const inspectBytes = await INSPECTOR_LOADERS[job.kind]();
  onLoaded();
  return inspectBytes(await readFile(job.path), job);
}

type Inspector = (bytes: Buffer, job: FileCleaningJob) => Promise<FileCleaningResult>;

/** Each format's reader is loaded when the first file of that format arrives. */
const INSPECTOR_LOADERS: Record<FileCleaningJob["kind"], () => Promise<Inspector>> = {
  image: async () => {
    await import("./picture-copy.ts");
    return inspectImage;
  },
  pdf: async () => {
    const { stripPdfMetadata } = await import("./pdf-copy.ts");
    return async (bytes, { anonymous, target }) => {
      const options = { readPictureFields: listPictureFieldNames, alwaysRewrite: anonymous };
      return saveCopy(await stripPdfMetadata(bytes, options), target);
    };
  },
  office: async () => {
    const { stripOfficeMetadata } = await import("./office-copy.ts");
    return async (bytes, { anonymous, target }) => {
      const options = { refuseHomePaths: anonymous };
      return saveCopy(await stripOfficeMetadata(bytes, listPictureFieldNames, options), target);
    };
  },
  oldOffice: async () => {
    const { listLegacyOfficeMetadataFieldNames } = await import("./old-office.ts");
    return async (bytes) => createNotCleanableResult(listLegacyOfficeMetadataFieldNames(bytes));
  },
  media: async () => {
    const { listMediaMetadataFieldNames } = await import("./media.ts");
    return async (bytes) => createNotCleanableResult(await listMediaMetadataFieldNames(bytes));
  },
};

async function inspectImage(
  upload: Buffer,
  { mimetype, target }: FileCleaningJob,
): Promise<FileCleaningResult> {
  if (isPictureMetadataFree(upload, mimetype)) return { state: "clean", reveals: [] };
  if (mimetype === "image/bmp") return cleanBitmap(upload, target);
  const bytes = replaceUnknownHeifBrand(upload, mimetype);
  const metadata = await readImageMetadata(bytes).catch(() => null);
  const reveals = metadata ? listRevealedMetadataCategories(metadata.names) : [...REVEALED_CATEGORIES];
  const { reencodePicture } = await import("./picture-copy.ts");
  const copy = isAnimation(upload, mimetype)
    ? null
    : await reencodePicture(bytes, { mimetype, target, onSize: (pixels) => send({ pixels }) });
  if (copy) {
    const lost = new Set([...listLostParts(bytes, metadata?.groups ?? {}), ...copy.lost]);
    return { state: "cleaned", reveals, lost: [...lost] };
  }
  if (!metadata) throw new Error("The metadata of this picture can't be read.");
  return { state: "not_cleanable", reveals };
}

async function cleanBitmap(bytes: Buffer, target: string): Promise<FileCleaningResult> {
  const { copy, names } = (await import("./bitmap-copy.ts")).stripBitmapMetadata(bytes);
  const isClean = copy.equals(bytes);
  return saveCopy({ names, copy: isClean ? null : copy, stuck: false }, target);
}

async function saveCopy(
  { names, copy, stuck }: DocumentCleaningResult,
  target: string,
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

type ImageMetadata = { names: string[]; groups: object };

/**
 * Reads the metadata of a picture, and lists its filled EXIF, IPTC, PNG text and XMP fields; none when a picture has no
 * metadata.
 * @throws Error when it can't be read
 */
async function readImageMetadata(bytes: Buffer): Promise<ImageMetadata> {
  const groups: { exif?: object } = await ExifReader.load(bytes, {
    expanded: true,
    async: true,
  }).catch((error: unknown) => {
    if (error instanceof ExifReader.errors.MetadataMissingError) return {};
    throw error;
  });
  // ExifReader returns an empty group for EXIF that it can't read.
  if (groups.exif && Object.keys(groups.exif).length === 0) throw new Error("This EXIF can't be read.");
  const { names, values } = collectImageFieldNamesAndValues(groups);
  // PNG may hold XMP as compressed text, and GIF holds it where ExifReader doesn't look.
  const comment = hasPictureComment(bytes) ? ["Comment"] : [];
  return { groups, names: [...names, ...comment, ...[bytes, ...values].flatMap(listXmpFieldNames)] };
}

/** Lists the filled fields of a picture that loses its metadata anyway: an unreadable one counts as revealing everything. */
const listPictureFieldNames = (bytes: Buffer): Promise<string[]> =>
  readImageMetadata(bytes).then(
    ({ names }) => names,
    () => ["GPSPosition", "Model", "Date", "Author"],
  );
