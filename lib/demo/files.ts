import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { cleanAndStoreUploads, listUploadStorageKeys, type StoredUpload } from "#lib/files/evidence.ts";
import { reencodeLogoOrAvatarAsWebp } from "#lib/files/cleaning/images.ts";
import { createStorageKey, getFileStorage } from "#lib/files/storage/storage.ts";
import { makeTemporaryFolder } from "#lib/files/upload/temporary.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { DEMO_ORGANIZATIONS } from "./data.ts";
import { generateDemoEvidenceFile, renderDemoLogoPng } from "./pictures.ts";
import { createRandom } from "./random.ts";
import type { DemoFile } from "./reports.ts";

/** Stores the files of the demo world like uploads: checked by content, cleaned and stored, then given a row. */

const PARALLEL_UPLOADS = 8;

type EvidenceRow = Prisma.RelatedFileCreateManyInput & Pick<StoredUpload, "storageKey" | "originalKey">;

/** Creates and stores the files of reports, as if their reporters had sent them. @returns all rows, or stores none */
export async function storeDemoEvidence(files: readonly DemoFile[]): Promise<EvidenceRow[]> {
  const waiting = [...Map.groupBy(files, ({ incident }) => incident.id).values()];
  const stored: EvidenceRow[] = [];
  const storeNext = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop())
      stored.push(...(await storeFilesOfReport(next)));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: PARALLEL_UPLOADS }, storeNext));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (!failure) return stored;
  await removeStoredDemoFiles(stored);
  throw failure.reason;
}

const storeFilesOfReport = (files: readonly DemoFile[]): Promise<EvidenceRow[]> =>
  withTemporaryFolder(async (folder) => {
    const uploads = files.map(async ({ incident, kind, seed }, index) => {
      const about = { title: incident.title, description: incident.description, at: incident.createdAt };
      const { filename, bytes } = await generateDemoEvidenceFile(createRandom(seed), kind, about);
      const file = path.join(folder, String(index));
      await writeFile(file, bytes, { mode: 0o600 });
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return { field: "relatedFiles", filename, path: file, size: bytes.length, sha256 };
    });
    const lane = { name: "command", known: true };
    const anonymous = files.some(({ incident }) => incident.reporterId === null);
    const stored = await cleanAndStoreUploads(await Promise.all(uploads), { lane, anonymous });
    return stored.flatMap((upload, index) => {
      const file = files[index];
      if (!file) return [];
      const { id: incidentId, eventId, reporterId: uploadedById, createdAt } = file.incident;
      return [{ ...upload, incidentId, eventId, uploadedById, createdAt, description: file.description }];
    });
  });

/** Removes stored files whose rows weren't written. */
export async function removeStoredDemoFiles(
  evidence: readonly EvidenceRow[],
  logos: DemoLogos = new Map(),
): Promise<void> {
  const keys = [...listUploadStorageKeys(evidence), ...[...logos.values()].map(({ logoKey }) => logoKey)];
  for (const key of keys) await getFileStorage().remove(key);
}

/** The columns of logos by the slug of an organization or event. */
type DemoLogos = Map<string, { logoKey: string; logoType: string; logoSize: number }>;

/** Draws and stores the logos of organizations and events. */
export function storeDemoLogos(): Promise<DemoLogos> {
  return withTemporaryFolder(async (folder) => {
    const logos: DemoLogos = new Map();
    for (const { slug, name, colors } of DEMO_ORGANIZATIONS.flatMap((one) => [one, ...one.events])) {
      if (!colors) continue;
      const source = path.join(folder, slug);
      await writeFile(source, await renderDemoLogoPng(name, colors), { mode: 0o600 });
      const { path: file, type, size } = await reencodeLogoOrAvatarAsWebp(source);
      const logoKey = createStorageKey();
      await getFileStorage().put(logoKey, file, type);
      logos.set(slug, { logoKey, logoType: type, logoSize: size });
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
