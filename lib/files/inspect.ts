/**
 * Looks into files in a process of its own: what people send may be made to keep a parser busy for ever or to fill
 * the memory, and then only this process ends. The service starts it by its path, so the bundler
 * never sees it. One job at a time; the parent sees to the time.
 */
import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import { Worker } from "node:worker_threads";
import ExifReader from "exifreader";
import { isAnimatedPng, isBarePicture } from "./containers.ts";
import type { DocumentCopy } from "./document-copy.ts";
import { filledFields, revealedBy, type Reveal } from "./reveals.ts";
import { namesInXmpOf } from "./xmp.ts";

/** Where there is something to take out of the file, the copy is written to `target`. */
export type Job = {
  kind: "image" | "pdf" | "office" | "oldOffice" | "media";
  path: string;
  mimetype: string;
  target: string;
};

export type Finding = {
  reveals: Reveal[];
  /** `bare`: nothing but its content. `copied`: there was more, and the copy is there. `stuck`: it stays as it is. */
  state: "bare" | "copied" | "stuck";
};

/** Twice what a photograph of 64 million pixels takes while it is turned. */
const MEMORY_BYTES = 768 * 1024 * 1024;

try {
  os.setPriority(0, 5);
} catch {
  // Not allowed everywhere; the work then competes on equal terms.
}

// A limit on the heap would not do: what a parser unpacks lies outside of it.
new Worker(
  `setInterval(() => { if (process.memoryUsage.rss() > ${MEMORY_BYTES}) process.kill(process.pid, "SIGKILL"); }, 20);`,
  { eval: true },
).unref();

// When the server goes, nobody waits for this any more.
process.once("disconnect", () => process.exit());
process.on("message", async ({ id, job }: { id: number; job: Job }) => {
  const finding = await inspect(job).catch((): Finding => ({ reveals: [], state: "stuck" }));
  process.send?.({ id, finding });
});

async function inspect(job: Job): Promise<Finding> {
  return INSPECTIONS[job.kind](await readFile(job.path), job);
}

/** What reads a format is loaded when the first file of it comes. */
const INSPECTIONS: Record<Job["kind"], (bytes: Buffer, job: Job) => Promise<Finding>> = {
  image: inspectImage,
  pdf: async (bytes, job) => copied(await (await import("./pdf-copy.ts")).copyPdf(bytes, namesInImage), job),
  office: async (bytes, job) =>
    copied(await (await import("./office-copy.ts")).copyOffice(bytes, namesInImage), job),
  oldOffice: async (bytes) => listed((await import("./old-office.ts")).namesInOldOffice(bytes)),
  media: async (bytes) => listed(await (await import("./media.ts")).namesInMedia(bytes)),
};

async function inspectImage(bytes: Buffer, { path, mimetype, target }: Job): Promise<Finding> {
  if (isBarePicture(bytes, mimetype)) return { reveals: [], state: "bare" };
  const reveals = revealedBy(await namesInImage(bytes));
  if (isAnimatedPng(bytes, mimetype)) return { reveals, state: "stuck" };
  const { copyPicture } = await import("./picture-copy.ts");
  return { reveals, state: (await copyPicture(path, { mimetype, target })) ? "copied" : "stuck" };
}

async function copied({ names, copy, stuck }: DocumentCopy, { target }: Job): Promise<Finding> {
  if (copy) await writeFile(target, copy, { mode: 0o600 });
  return { reveals: revealedBy(names), state: stuck ? "stuck" : copy ? "copied" : "bare" };
}

const listed = (names: string[]): Finding => ({ reveals: revealedBy(names), state: "stuck" });

/** Names of the filled fields of EXIF, IPTC, PNG text and XMP. What can't be read tells nothing. */
async function namesInImage(bytes: Buffer): Promise<string[]> {
  const groups = await ExifReader.load(bytes, { expanded: true, async: true }).catch(() => ({}));
  const { names, values } = filledFields(groups);
  // PNG may hold XMP as packed text, and GIF holds it where ExifReader doesn't look.
  return [...names, ...[bytes, ...values].flatMap(namesInXmpOf)];
}
