import { connectClient } from "../database-client.ts";
import { unseal } from "../files/seal.ts";
import type { Storage } from "../files/storage.ts";
import { digestOf, refuseOther } from "./archive.ts";
import type { Manifest } from "./manifest.ts";

type Proven = { files: number; originals: number };

/**
 * Reads every restored file again from where it is stored, compares it with the backup, and opens every sealed
 * original, which has to be what was uploaded.
 * @param keys that open originals; without any, none is opened
 * @throws Error naming the first that isn't as it was
 */
export async function proveFiles(
  manifest: Manifest,
  { url, storage, keys }: { url: string; storage: Storage; keys: readonly Buffer[] },
): Promise<Proven> {
  for (const file of manifest.files)
    refuseOther(`files/${file.key}`, await digestOf((await storage.open(file.key)).stream), file);
  if (keys.length === 0) return { files: manifest.files.length, originals: 0 };
  const originals = await sealedOriginals(url);
  for (const { key, sha256 } of originals) {
    const opened = await unseal((await storage.open(key)).stream, { name: key, keys });
    if ((await digestOf(opened)).sha256 !== sha256)
      throw new Error(`The original ${key} is not what was uploaded.`);
  }
  return { files: manifest.files.length, originals: originals.length };
}

async function sealedOriginals(url: string): Promise<{ key: string; sha256: string }[]> {
  const client = await connectClient(url, { applicationName: "heed-restore" });
  try {
    const { rows } = await client.query<{ key: string; sha256: string }>(
      "select original_key as key, sha256 from public.related_files where original_key is not null order by 1",
    );
    return rows;
  } finally {
    await client.end();
  }
}
