/**
 * Looks into images and PDFs, in a process of its own: what people send may be made to keep a parser busy for
 * ever or to fill the memory, and then only this process ends. The service starts it by its path, so the bundler
 * never sees it. One job at a time; the parent sees to the time.
 */
import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import { Worker } from "node:worker_threads";
import ExifReader from "exifreader";
import { isAnimatedPng, isBarePicture } from "./containers.ts";
import { namesInXmp, revealedBy, type Reveal } from "./reveals.ts";

/** Where there is something to take out of the file, the copy is written to `target`. */
export type Job = { kind: "image" | "pdf"; path: string; mimetype: string; target: string };

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
  const bytes = await readFile(job.path);
  return job.kind === "pdf" ? inspectPdf(bytes, job.target) : inspectImage(bytes, job);
}

async function inspectImage(bytes: Buffer, { path, mimetype, target }: Job): Promise<Finding> {
  if (isBarePicture(bytes, mimetype)) return { reveals: [], state: "bare" };
  const reveals = revealedBy(await namesInImage(bytes));
  if (isAnimatedPng(bytes, mimetype)) return { reveals, state: "stuck" };
  const { copyPicture } = await import("./picture-copy.ts");
  return { reveals, state: (await copyPicture(path, { mimetype, target })) ? "copied" : "stuck" };
}

async function inspectPdf(bytes: Buffer, target: string): Promise<Finding> {
  const { copyPdf } = await import("./pdf-copy.ts");
  const { names, copy, stuck } = await copyPdf(bytes, namesInImage);
  if (copy) await writeFile(target, copy, { mode: 0o600 });
  const reveals = revealedBy(names);
  return { reveals, state: stuck ? "stuck" : copy ? "copied" : "bare" };
}

/** Names of the filled fields of EXIF, IPTC, PNG text and XMP. What can't be read tells nothing. */
async function namesInImage(bytes: Buffer): Promise<string[]> {
  const groups = await ExifReader.load(bytes, { expanded: true, async: true }).catch(() => ({}));
  const fields = Object.entries(groups as Record<string, Record<string, Field>>)
    .filter(([group]) => FIELD_GROUPS.has(group))
    .flatMap(([, tags]) => Object.entries(tags));
  const filled = fields.filter(([, field]) => isFilled(field)).map(([name]) => name);
  // PNG may hold XMP as packed text, and GIF holds it where ExifReader doesn't look.
  const packets = [bytes, ...fields.map(([, { value }]) => value)].map(xmpIn);
  return [...filled, ...packets.flatMap(namesInXmp)];
}

type Field = { value?: unknown; description?: unknown };

/** Not those that ExifReader works out from others, nor the measures of the picture and its colour profile. */
const FIELD_GROUPS = new Set(["exif", "iptc", "xmp", "png", "pngText", "makerNotes", "photoshop"]);

/** Cameras leave fields blank, and dates at zero. */
const isFilled = ({ value, description }: Field): boolean => {
  const text = String(description || value || "");
  return /[^\s\0]/.test(text) && !/^0000[:0\s-]*$/.test(text);
};

/** The XMP packet in a value or in a whole file, up to a length that no honest one has. */
function xmpIn(where: unknown): string {
  if (typeof where !== "string" && !Buffer.isBuffer(where)) return "";
  const start = where.indexOf("<x:xmpmeta");
  const end = start < 0 ? -1 : where.indexOf("</x:xmpmeta", start);
  return end < 0 ? "" : where.slice(start, Math.min(end, start + 1024 * 1024)).toString();
}
