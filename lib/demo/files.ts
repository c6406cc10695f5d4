import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { dropFiles, keepFiles, type KeptFile } from "#lib/files/evidence.ts";
import { reencodeLogo } from "#lib/files/cleaning/images.ts";
import { newKey, storage } from "#lib/files/storage/storage.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { makeTemporaryFolder } from "#lib/files/upload/temporary.ts";
import { evidence, mark, type MadeFile } from "./pictures.ts";
import { EVENTS, ORGANIZATIONS } from "./places.ts";
import { seeded } from "./random.ts";
import type { WantedFile } from "./reports.ts";

/** Puts the files of the demo world into the storage, the way uploads go: checked by content, stored, then a row. */

/** By slug of an organization or event. */
export type StoredMarks = Map<string, { key: string; type: string; size: number }>;

export async function storeEvidence(wanted: readonly WantedFile[]): Promise<KeptFile[]> {
  return inFolder(async (folder) => {
    const uploads: UploadedFile[] = [];
    for (const [index, { incident, kind, seed }] of wanted.entries()) {
      const about = { title: incident.title, words: incident.description, at: incident.created_at };
      const made = await evidence(seeded(seed), kind, about);
      uploads.push(await upload(path.join(folder, String(index)), made));
    }
    return keepAll(uploads);
  });
}

/** Each file waits for the disk; several at a time wait together. All of them or none. */
async function keepAll(uploads: readonly UploadedFile[]): Promise<KeptFile[]> {
  const lane = Math.ceil(uploads.length / LANES) || 1;
  const parts = Array.from({ length: LANES }, (_, at) => uploads.slice(at * lane, (at + 1) * lane));
  const kept = await Promise.allSettled(parts.map((part) => keepFiles(part, SENDER)));
  const files = kept.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  const failure = kept.find((outcome) => outcome.status === "rejected");
  if (!failure) return files;
  await dropFiles(files);
  throw failure.reason;
}

const LANES = 8;
const SENDER = { personId: "demo", eventId: "demo", anonymous: false };

async function upload(file: string, { filename, bytes }: MadeFile): Promise<UploadedFile> {
  await writeFile(file, bytes, { mode: 0o600 });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { field: "relatedFiles", filename, path: file, size: bytes.length, sha256 };
}

export async function storeMarks(): Promise<StoredMarks> {
  return inFolder(async (folder) => {
    const marks: StoredMarks = new Map();
    for (const { slug, name, colors } of [...ORGANIZATIONS, ...EVENTS]) {
      if (!colors) continue;
      const source = path.join(folder, slug);
      await writeFile(source, await mark(name, colors), { mode: 0o600 });
      const { path: file, type, size } = await reencodeLogo(source);
      const key = newKey();
      await storage().put(key, file, type);
      marks.set(slug, { key, type, size });
    }
    return marks;
  });
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder();
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
