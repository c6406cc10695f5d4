import { ChildProcess, execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PDFDocument } from "@cantoo/pdf-lib";
import sharp from "sharp";
import { afterEach, expect, test } from "vitest";
import {
  createBareDocx,
  buildContentTypes,
  createDoc,
  createDocx,
  buildRelations,
  createRtf,
} from "#e2e/support/documents.ts";
import { createPhoto } from "#e2e/support/evidence.ts";
import { createHeic, createIphoneFilm, createWav } from "#e2e/support/recordings.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { cleanAndStoreUploads } from "#lib/files/evidence.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { REVEALED_CATEGORIES } from "#lib/files/cleaning/reveals.ts";
import { makeTemporaryFolder } from "#lib/files/upload/temporary.ts";

/** What becomes of files that can't be inspected: with a report without the reporter's name, and with any other. */

const dataDir = process.env.HEED_DATA_DIR ?? "";
const ANONYMOUS = { lane: createLaneForUser("maya"), anonymous: true };
const NAMED_REPORT = { ...ANONYMOUS, anonymous: false };

async function uploaded(bytes: Buffer, filename = "Maya Castillo.bin"): Promise<UploadedFile> {
  const file = path.join(await makeTemporaryFolder(), "upload");
  fs.writeFileSync(file, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { field: "relatedFiles", filename, path: file, size: bytes.length, sha256 };
}

const stored = (): string[] => {
  const root = path.join(dataDir, "files");
  if (!fs.existsSync(root)) return [];
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
};

afterEach(() => {
  for (const folder of ["files", "tmp"])
    fs.rmSync(path.join(dataDir, folder), { recursive: true, force: true });
});

/** The processes of ours that inspect files. */
const inspectors = (): number[] =>
  execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("inspect.ts"))
    .map((line) => Number.parseInt(line, 10));

/** Signals the next process of ours as soon as it is started: before it has inspected anything, however slow we are. */
function signalNextProcess(signal: NodeJS.Signals): void {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: object): number };
  const spawn = Reflect.get(prototype, "spawn");
  prototype.spawn = function (this: ChildProcess, options) {
    prototype.spawn = spawn;
    const result = spawn.call(this, options);
    this.kill(signal);
    return result;
  };
}

async function pdf(change: (made: PDFDocument) => unknown = () => {}): Promise<Buffer> {
  const made = await PDFDocument.create();
  made.addPage([200, 200]);
  made.setAuthor("Maya Castillo");
  await change(made);
  return Buffer.from(await made.save({ useObjectStreams: false }));
}

async function withBrokenOrphan(): Promise<Buffer> {
  const whole = await pdf();
  const at = whole.lastIndexOf("xref\n", whole.lastIndexOf("startxref") - 1);
  return Buffer.concat([
    whole.subarray(0, at),
    Buffer.from("90 0 obj\n<< /A (Lantern /B >>\nendobj\n"),
    whole.subarray(at),
  ]);
}

/** It announces 31.9 million pixels, and holds one tile. */
function hugeHeic(): Buffer {
  const bytes = createHeic();
  const [grid, size] = [bytes.indexOf("idat"), bytes.lastIndexOf("ispe")];
  bytes.writeUInt16BE(5600, grid + 8);
  bytes.writeUInt16BE(5700, grid + 10);
  bytes.writeUInt32BE(5600, size + 8);
  bytes.writeUInt32BE(5700, size + 12);
  return bytes;
}

/** It announces 62 million pixels. */
async function hugeAvif(): Promise<Buffer> {
  const made = sharp({ create: { width: 24, height: 16, channels: 3, background: "#1e5aa0" } });
  const bytes = await made
    .withExif({ IFD0: { Artist: "Maya Castillo" } })
    .avif()
    .toBuffer();
  const size = bytes.indexOf("ispe");
  bytes.writeUInt32BE(8000, size + 8);
  bytes.writeUInt32BE(7800, size + 12);
  return bytes;
}

const withMacros = () =>
  createBareDocx({
    "word/_rels/document.xml.rels": buildRelations(["rId1", "vbaProject", "vbaProject.bin"]),
    "word/vbaProject.bin": "x",
    "[Content_Types].xml": buildContentTypes({
      "word/document.xml": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
      "word/vbaProject.bin": "application/vnd.ms-office.vbaProject",
    }),
  });

const NOT_INSPECTED: [string, () => Buffer | Promise<Buffer>][] = [
  [
    "a PDF that takes a password",
    () => pdf((made) => made.encrypt({ userPassword: "a", ownerPassword: "b" })),
  ],
  ["a PDF with a broken object that nothing refers to", withBrokenOrphan],
  ["half a photograph", async () => (await createPhoto()).subarray(0, -200)],
  ["a HEIC near the largest", hugeHeic],
  ["half a Word document", async () => (await createDocx()).subarray(0, -300)],
  ["a Word document with macros", withMacros],
  ["an RTF with a picture", () => Buffer.from(String.raw`{\rtf1{\info{\author Maya Castillo}}{\pict 4c}}`)],
  ["half a film", () => createIphoneFilm().subarray(0, 700)],
  ["a picture in BMP", () => Buffer.concat([Buffer.from("BM"), randomBytes(100)])],
];

test.each(NOT_INSPECTED)(
  "%s counts as revealing everything, and no anonymous report can have it",
  async (_, make) => {
    const bytes = await make();
    const [named] = await cleanAndStoreUploads([await uploaded(bytes)], NAMED_REPORT);
    expect(named).toMatchObject({
      cleanState: "not_inspected",
      reveals: REVEALED_CATEGORIES,
      originalKey: null,
    });
    expect(stored()).toHaveLength(1);
    fs.rmSync(path.join(dataDir, "files"), { recursive: true });
    // What comes before it in the report is taken back, too.
    const both = [await uploaded(await createPhoto()), await uploaded(bytes)];
    await expect(cleanAndStoreUploads(both, ANONYMOUS)).rejects.toMatchObject({
      code: "UNSUPPORTED_FILE_TYPE",
      message: "File 2 can't be sent anonymously.",
    });
    expect(stored()).toEqual([]);
  },
  180_000,
);

test.each<[string, () => Buffer | Promise<Buffer>]>([
  ["an old Word document", createDoc],
  ["an RTF", createRtf],
  ["a sound of which nothing is told", () => createWav()],
  ["a film of a phone", createIphoneFilm],
  ["an AVIF that is too large", hugeAvif],
])("%s can't be cleaned, and no anonymous report can have it", async (_, make) => {
  const [named] = await cleanAndStoreUploads([await uploaded(await make())], NAMED_REPORT);
  expect(named).toMatchObject({ cleanState: "not_cleanable" });
  fs.rmSync(path.join(dataDir, "files"), { recursive: true });
  await expect(cleanAndStoreUploads([await uploaded(await make())], ANONYMOUS)).rejects.toMatchObject({
    code: "UNSUPPORTED_FILE_TYPE",
  });
  expect(stored()).toEqual([]);
});

test("no report can have a file of an unknown kind", async () => {
  // One in four thousand files of random bytes alone begins like a sound.
  const bytes = Buffer.concat([Buffer.from("Lantern\0"), randomBytes(192)]);
  for (const sender of [NAMED_REPORT, ANONYMOUS])
    await expect(cleanAndStoreUploads([await uploaded(bytes)], sender)).rejects.toMatchObject({
      code: "UNSUPPORTED_FILE_TYPE",
    });
  expect(stored()).toEqual([]);
});

test.each([
  ["is killed before it has inspected it", "SIGKILL"],
  ["doesn't load in time", "SIGSTOP"],
] as const)("a file whose process %s was not inspected", async (_what, signal) => {
  for (const pid of inspectors()) process.kill(pid, "SIGKILL");
  await expect.poll(inspectors, { timeout: 20_000 }).toEqual([]);
  const upload = await uploaded(await pdf());
  signalNextProcess(signal);
  await expect(cleanAndStoreUploads([upload], ANONYMOUS)).rejects.toMatchObject({
    code: "UNSUPPORTED_FILE_TYPE",
  });
  expect(stored()).toEqual([]);
  expect((await cleanAndStoreUploads([await uploaded(await pdf())], ANONYMOUS))[0]?.cleanState).toBe(
    "cleaned",
  );
});

test("a file whose inspection takes too long was not inspected", async () => {
  await cleanAndStoreUploads([await uploaded(await pdf())], NAMED_REPORT);
  fs.rmSync(path.join(dataDir, "files"), { recursive: true });
  const upload = await uploaded(await pdf());
  // The process has loaded: from now on only the time for the file counts.
  for (const pid of inspectors()) process.kill(pid, "SIGSTOP");
  await expect(cleanAndStoreUploads([upload], ANONYMOUS)).rejects.toMatchObject({
    code: "UNSUPPORTED_FILE_TYPE",
  });
  expect(stored()).toEqual([]);
  // The process for images may be among those that were stopped.
  for (const pid of inspectors()) process.kill(pid, "SIGCONT");
});

test("a file is inspected whose process took longer to load than the file may take", async () => {
  for (const pid of inspectors()) process.kill(pid, "SIGKILL");
  await expect.poll(inspectors, { timeout: 20_000 }).toEqual([]);
  signalNextProcess("SIGSTOP");
  const storing = cleanAndStoreUploads([await uploaded(createWav())], NAMED_REPORT);
  await expect.poll(inspectors, { timeout: 20_000 }).not.toEqual([]);
  // A sound may take five seconds.
  await sleep(5500);
  for (const pid of inspectors()) process.kill(pid, "SIGCONT");
  expect((await storing)[0]?.cleanState).toBe("not_cleanable");
});

test("a file is inspected whose reader took longer to load than the file may take", async () => {
  for (const pid of inspectors()) process.kill(pid, "SIGKILL");
  await expect.poll(inspectors, { timeout: 20_000 }).toEqual([]);
  await cleanAndStoreUploads([await uploaded(await pdf())], NAMED_REPORT);
  for (const pid of inspectors()) process.kill(pid, "SIGSTOP");
  const storing = cleanAndStoreUploads([await uploaded(createWav())], NAMED_REPORT);
  await sleep(5500);
  for (const pid of inspectors()) process.kill(pid, "SIGCONT");
  expect((await storing)[0]?.cleanState).toBe("not_cleanable");
});

test("a file isn't refused for what files before it did to their process", async () => {
  await cleanAndStoreUploads([await uploaded(await pdf())], ANONYMOUS);
  const storing = cleanAndStoreUploads([await uploaded(await pdf())], ANONYMOUS);
  for (const pid of inspectors()) process.kill(pid, "SIGKILL");
  expect((await storing)[0]?.cleanState).toBe("cleaned");
});

test("where too many wait, whoever sends more hears that and how long to wait, with a name or without", async () => {
  await cleanAndStoreUploads([await uploaded(await pdf())], NAMED_REPORT);
  // Made before the process is stopped, whose time for a file goes on.
  const uploads = await Promise.all(Array.from({ length: 24 }, async () => uploaded(await pdf())));
  for (const pid of inspectors()) process.kill(pid, "SIGSTOP");
  const busy = { code: "SERVICE_UNAVAILABLE", headers: { "Retry-After": "20" } };
  // One is inspected and twenty wait; which of the 22 is refused depends on which was read first.
  const sent = uploads.slice(0, 22).map((upload) => cleanAndStoreUploads([upload], NAMED_REPORT));
  const outcomes = Promise.allSettled(sent);
  await expect(Promise.all(sent)).rejects.toMatchObject(busy);
  await expect(cleanAndStoreUploads([uploads[22] as UploadedFile], ANONYMOUS)).rejects.toMatchObject(busy);
  const other = cleanAndStoreUploads([uploads[23] as UploadedFile], {
    ...ANONYMOUS,
    lane: createLaneForUser("nora"),
  });
  for (const pid of inspectors()) process.kill(pid, "SIGCONT");
  const files = (await outcomes).flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  expect(files.map(({ cleanState }) => cleanState)).toEqual(Array(21).fill("cleaned"));
  expect((await other)[0]?.cleanState).toBe("cleaned");
});

test("files of an anonymous report lose their names", async () => {
  const uploads = await Promise.all([
    uploaded(await createPhoto(), "Maya Castillo at home.jpg"),
    uploaded(createHeic(), "IMG of Maya Castillo.HEIC"),
    uploaded(Buffer.from("What I saw."), "by-maya-castillo.md"),
    uploaded(await createDocx(), "Castillo, Maya.docx"),
  ]);
  const files = await cleanAndStoreUploads(uploads, ANONYMOUS);
  expect(files.map(({ filename }) => filename)).toEqual([
    "photo-1.jpg",
    "photo-2.jpg",
    "document-3.txt",
    "document-4.docx",
  ]);
  expect(files.every(({ originalKey }) => originalKey === null)).toBe(true);
  expect(stored()).toHaveLength(4);
  for (const file of stored()) expect(fs.readFileSync(file).includes("Castillo")).toBe(false);
});
