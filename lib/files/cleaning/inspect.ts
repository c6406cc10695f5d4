/**
 * Looks into files in a process of its own: what people send may be made to keep a parser busy for ever or to fill
 * the memory, and then only this process ends. The service starts it by its path, so the bundler
 * never sees it. One job at a time; the parent sees to the time.
 */
import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import { Worker } from "node:worker_threads";
import ExifReader from "exifreader";
import { isAnimatedPng, isMetadataFree } from "./containers.ts";
import type { CleanedDocument } from "./document-copy.ts";
import { type CleanState, collectFilledFields, type Reveal, REVEALS, classifyFieldNames } from "./reveals.ts";
import { findXmpFieldNames } from "./xmp.ts";

/** Where there is something to take out of the file, the copy is written to `target`. */
export type InspectionJob = {
  kind: "image" | "pdf" | "office" | "oldOffice" | "media";
  path: string;
  mimetype: string;
  target: string;
  /** For an anonymous report: what no reader displays, such as comments in a PDF, is removed as well. */
  anonymous: boolean;
};

/** Where the state is `cleaned`, the copy is there. */
export type InspectionResult = { state: CleanState; reveals: Reveal[] };

/** Twice what a photograph of 64 million pixels takes while it is turned. */
const MAX_MEMORY_BYTES = 768 * 1024 * 1024;

try {
  os.setPriority(0, 5);
} catch {
  // Not allowed everywhere; the work then competes on equal terms.
}

// A limit on the heap would not do: what a parser unpacks lies outside of it.
new Worker(
  `setInterval(() => { if (process.memoryUsage.rss() > ${MAX_MEMORY_BYTES}) process.kill(process.pid, "SIGKILL"); }, 20);`,
  { eval: true },
).unref();

// When the server goes, nobody waits for this any more.
process.once("disconnect", () => process.exit());
process.on("message", async ({ id, job }: { id: number; job: InspectionJob }) => {
  const finding = await inspect(job).catch((): InspectionResult => ({
    state: "not_inspected",
    reveals: [...REVEALS],
  }));
  process.send?.({ id, finding });
});

/** @throws Error when the file can't be read to its end */
async function inspect(job: InspectionJob): Promise<InspectionResult> {
  return INSPECTORS[job.kind](await readFile(job.path), job);
}

/** What reads a format is loaded when the first file of it comes. */
const INSPECTORS: Record<
  InspectionJob["kind"],
  (bytes: Buffer, job: InspectionJob) => Promise<InspectionResult>
> = {
  image: inspectImage,
  pdf: async (bytes, job) =>
    saveCopy(
      await (
        await import("./pdf-copy.ts")
      ).stripPdfMetadata(bytes, { tell: listPictureFieldNames, anew: job.anonymous }),
      job,
    ),
  office: async (bytes, job) =>
    saveCopy(await (await import("./office-copy.ts")).stripOfficeMetadata(bytes, listPictureFieldNames), job),
  oldOffice: async (bytes) =>
    notCleanable((await import("./old-office.ts")).listLegacyOfficeFieldNames(bytes)),
  media: async (bytes) => notCleanable(await (await import("./media.ts")).listMediaFieldNames(bytes)),
};

async function inspectImage(
  bytes: Buffer,
  { path, mimetype, target }: InspectionJob,
): Promise<InspectionResult> {
  if (isMetadataFree(bytes, mimetype)) return { state: "clean", reveals: [] };
  const names = await listImageFieldNames(bytes).catch(() => null);
  const reveals = names ? classifyFieldNames(names) : [...REVEALS];
  const { reencodePicture: copyPicture } = await import("./picture-copy.ts");
  const isCopied = !isAnimatedPng(bytes, mimetype) && (await copyPicture(path, { mimetype, target }));
  if (isCopied) return { state: "cleaned", reveals };
  if (!names) throw new Error("The metadata of this picture can't be read.");
  return { state: "not_cleanable", reveals };
}

async function saveCopy(
  { names, copy, stuck }: CleanedDocument,
  { target }: InspectionJob,
): Promise<InspectionResult> {
  if (copy) await writeFile(target, copy, { mode: 0o600 });
  return { state: stuck ? "not_cleanable" : copy ? "cleaned" : "clean", reveals: classifyFieldNames(names) };
}

const notCleanable = (names: string[]): InspectionResult => ({
  state: "not_cleanable",
  reveals: classifyFieldNames(names),
});

/**
 * Names of the filled fields of EXIF, IPTC, PNG text and XMP; none where a picture has no metadata.
 * @throws Error when they can't be read
 */
async function listImageFieldNames(bytes: Buffer): Promise<string[]> {
  const groups: { exif?: object } = await ExifReader.load(bytes, { expanded: true, async: true }).catch(
    (error: unknown) => {
      if (error instanceof ExifReader.errors.MetadataMissingError) return {};
      throw error;
    },
  );
  // What it says of EXIF that it can't read.
  if (groups.exif && Object.keys(groups.exif).length === 0) throw new Error("This EXIF can't be read.");
  const { names, values } = collectFilledFields(groups);
  // PNG may hold XMP as packed text, and GIF holds it where ExifReader doesn't look.
  return [...names, ...[bytes, ...values].flatMap(findXmpFieldNames)];
}

/** As `listImageFieldNames`, of a picture that loses its metadata in any case: what can't be read counts as everything. */
const listPictureFieldNames = (bytes: Buffer): Promise<string[]> =>
  listImageFieldNames(bytes).catch(() => ["GPSPosition", "Model", "Date", "Author"]);
