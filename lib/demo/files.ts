import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { rollBackUploads, cleanAndStoreUploads, type StoredUpload } from "#lib/files/evidence.ts";
import { reencodeLogoOrAvatarAsWebp } from "#lib/files/cleaning/images.ts";
import { createStorageKey, getFileStorage } from "#lib/files/storage/storage.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { makeTemporaryFolder } from "#lib/files/upload/temporary.ts";
import { generateDemoEvidenceFile, renderDemoLogoPng, type GeneratedFile } from "./pictures.ts";
import { DEMO_EVENTS, DEMO_ORGANIZATIONS } from "./places.ts";
import { createRandom } from "./random.ts";
import type { DemoFilePlan } from "./reports.ts";

/** Stores the files of the demo world like uploads: checked by content, stored, then given a row. */

/** Keyed by the slug of an organization or event. */
export type StoredDemoLogoBySlug = Map<string, { key: string; type: string; size: number }>;

export async function storeDemoEvidenceFiles(plannedFiles: readonly DemoFilePlan[]): Promise<StoredUpload[]> {
  return withTemporaryFolder(async (folder) => {
    const uploads: UploadedFile[] = [];
    for (const [index, { incident, kind, seed }] of plannedFiles.entries()) {
      const about = { title: incident.title, description: incident.description, at: incident.created_at };
      const made = await generateDemoEvidenceFile(createRandom(seed), kind, about);
      uploads.push(await writeUpload(path.join(folder, String(index)), made));
    }
    return storeInParallel(uploads);
  });
}

/** Stores several files in parallel, since each waits for the disk. Stores all of them or none. */
async function storeInParallel(uploads: readonly UploadedFile[]): Promise<StoredUpload[]> {
  const partSize = Math.ceil(uploads.length / PARALLEL_UPLOADS) || 1;
  const parts = Array.from({ length: PARALLEL_UPLOADS }, (_, at) =>
    uploads.slice(at * partSize, (at + 1) * partSize),
  );
  const outcomes = await Promise.allSettled(parts.map((part) => cleanAndStoreUploads(part, DEMO_SENDER)));
  const files = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (!failure) return files;
  await rollBackUploads(files);
  throw failure.reason;
}

const PARALLEL_UPLOADS = 8;
const DEMO_SENDER = { lane: { name: "command", known: true }, anonymous: false };

async function writeUpload(file: string, { filename, bytes }: GeneratedFile): Promise<UploadedFile> {
  await writeFile(file, bytes, { mode: 0o600 });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { field: "relatedFiles", filename, path: file, size: bytes.length, sha256 };
}

export async function storeDemoLogos(): Promise<StoredDemoLogoBySlug> {
  return withTemporaryFolder(async (folder) => {
    const logos: StoredDemoLogoBySlug = new Map();
    for (const { slug, name, colors } of [...DEMO_ORGANIZATIONS, ...DEMO_EVENTS]) {
      if (!colors) continue;
      const source = path.join(folder, slug);
      await writeFile(source, await renderDemoLogoPng(name, colors), { mode: 0o600 });
      const { path: file, type, size } = await reencodeLogoOrAvatarAsWebp(source);
      const key = createStorageKey();
      await getFileStorage().put(key, file, type);
      logos.set(slug, { key, type, size });
    }
    return logos;
  });
}

async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder();
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
