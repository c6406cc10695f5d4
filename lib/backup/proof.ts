import { connectClient } from "#lib/database/connections.ts";
import { SealBroken, unseal } from "#lib/crypto/sealed-file.ts";
import type { Storage } from "#lib/files/storage/storage.ts";
import { digestOf, refuseOther } from "./archive.ts";
import type { Manifest } from "./manifest.ts";
import { listNamedFiles, type NamedFile } from "./named-files.ts";

type Proven = { files: number; originals: number; missing: NamedFile[]; damaged: NamedFile[] };
type Place = { url: string; storage: Storage; keys: readonly Buffer[] };

/**
 * Reads every restored file again from where it is stored, and compares it with the backup and with its row. Every
 * sealed original is opened, and has to be what was uploaded.
 * @param place `keys` open originals; without any, none is opened
 * @returns what is not what its row says, and was not when the backup was taken
 * @throws Error naming the first that isn't as it was in the backup
 */
export async function proveFiles(manifest: Manifest, place: Place): Promise<Proven> {
  for (const file of manifest.files)
    refuseOther(`files/${file.key}`, await digestOf((await place.storage.open(file.key)).stream), file);
  const kept = new Map(manifest.files.map(({ key, sha256 }) => [key, sha256]));
  const named = await namedFiles(place.url);
  const missing = named.filter(({ key }) => !kept.has(key));
  const damaged: NamedFile[] = [];
  let originals = 0;
  for (const file of named.filter(({ key }) => kept.has(key))) {
    if (file.part === "original" && place.keys.length === 0) continue;
    if (file.part === "original") originals += 1;
    const found = file.part === "original" ? await digestOfOriginal(file.key, place) : kept.get(file.key);
    if (file.sha256 !== null && found !== file.sha256) damaged.push(file);
  }
  return { files: manifest.files.length, originals, missing, damaged };
}

/** @returns undefined where it was damaged. @throws Error when its key is not here */
async function digestOfOriginal(key: string, { storage, keys }: Place): Promise<string | undefined> {
  try {
    return (await digestOf(await unseal((await storage.open(key)).stream, { name: key, keys }))).sha256;
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    if (error.code === "SEAL_DAMAGED") return undefined;
    throw new Error(
      `The sealed original ${key} can't be opened: its key is not here. Set EVIDENCE_KEYS as it was.`,
      { cause: error },
    );
  }
}

async function namedFiles(url: string): Promise<NamedFile[]> {
  const client = await connectClient(url, { applicationName: "heed-restore" });
  try {
    return await listNamedFiles(client);
  } finally {
    await client.end();
  }
}
