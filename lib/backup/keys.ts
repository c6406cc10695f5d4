import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { Env } from "../env.ts";
import type { ArchiveReader } from "./archive.ts";
import type { BackupManifest } from "./manifest.ts";

/**
 * Keys in backups. The data key seals originals, webhook secrets and two-factor secrets, and its keyed hashes recognize
 * the words of conversations and the lines of the erasure list: without it, none of these work. A backup
 * contains the data key only when BACKUP_PASSPHRASE is set, sealed with that passphrase. The keys in EVIDENCE_KEYS are
 * the operator's and never part of a backup. The manifest holds a fingerprint of each key, by which a restore
 * recognizes the right keys.
 */

type DataFolder = Pick<Env, "dataDir">;

/** Returns the fingerprint of a data key or a key of EVIDENCE_KEYS; it reveals nothing about the key. */
const computeDataKeyFingerprint = (key: string): string =>
  createHash("sha256").update("heed:backup:").update(key).digest("hex").slice(0, 16);

/** Computes the fingerprints of this installation's data key and evidence keys. */
export function computeInstallationKeyFingerprints(env: Pick<Env, "dataDir" | "EVIDENCE_KEYS">): {
  data: string;
  evidence: string[];
} {
  return {
    data: computeDataKeyFingerprint(readDataKeyIfPresent(env) ?? ""),
    evidence: parseEvidenceKeys(env).map(computeDataKeyFingerprint),
  };
}

/** Returns the data key of a data folder; undefined when none has been created yet. */
export function readDataKeyIfPresent(dataFolder: DataFolder): string | undefined {
  const file = buildDataKeyPath(dataFolder);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : undefined;
}

/** Writes a data key to a data folder; an existing key is moved aside. */
export function storeDataKey(dataFolder: DataFolder, key: string): void {
  const file = buildDataKeyPath(dataFolder);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (fs.existsSync(file)) fs.renameSync(file, `${file}.${Date.now()}.old`);
  fs.writeFileSync(file, `${key}\n`, { mode: 0o600, flush: true });
}

/**
 * Describes which keys of the backup are missing here; empty when all are present.
 * @param backupKey the data key that came with the backup
 */
export function describeMissingBackupEncryptionKeys(
  { keys }: BackupManifest,
  env: Pick<Env, "dataDir" | "EVIDENCE_KEYS">,
  backupKey?: string,
): string[] {
  const here = computeInstallationKeyFingerprints(env);
  const evidence = keys.evidence.filter((mark) => !here.evidence.includes(mark));
  return [
    ...(backupKey || here.data === keys.data ? [] : ["the data key (secrets/data.key)"]),
    ...(evidence.length > 0 ? [`${evidence.length} of EVIDENCE_KEYS`] : []),
  ];
}

/**
 * Returns the data key in the archive, if there is one and BACKUP_PASSPHRASE is set.
 * @throws Error in plain words when the passphrase is wrong
 */
export async function openDataKeyOfArchive(
  archive: ArchiveReader,
  { keys }: BackupManifest,
  { BACKUP_PASSPHRASE }: Pick<Env, "BACKUP_PASSPHRASE">,
): Promise<string | undefined> {
  if (!keys.sealed || !BACKUP_PASSPHRASE) return undefined;
  const key = openKey(await archive.text("keys.json"), BACKUP_PASSPHRASE);
  if (computeDataKeyFingerprint(key) !== keys.data)
    throw new Error("The data key in the backup is not the one that it names.");
  return key;
}

/** Each guess at the passphrase costs about a third of a second and 128 MiB. */
const SCRYPT_OPTIONS = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

const SealedKey = z.object({ salt: z.string(), nonce: z.string(), tag: z.string(), sealed: z.string() });

/** Returns the data key as text that only the passphrase opens (scrypt, AES-256-GCM). */
export function sealDataKeyWithPassphrase(key: string, passphrase: string): string {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv("aes-256-gcm", scryptSync(passphrase, salt, 32, SCRYPT_OPTIONS), nonce);
  const sealed = Buffer.concat([cipher.update(key, "utf8"), cipher.final()]);
  const parts = { salt, nonce, tag: cipher.getAuthTag(), sealed };
  return JSON.stringify(
    Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes.toString("base64")])),
  );
}

function parseSealedKey(text: string): z.infer<typeof SealedKey> {
  try {
    return SealedKey.parse(JSON.parse(text));
  } catch (error) {
    throw new Error("keys.json of the backup is damaged: it is not what was written.", { cause: error });
  }
}

/** Opens the data key of a backup. @throws Error in plain words when the passphrase is wrong */
function openKey(text: string, passphrase: string): string {
  const { salt, nonce, tag, sealed } = parseSealedKey(text);
  const bytes = (part: string) => Buffer.from(part, "base64");
  try {
    const key = scryptSync(passphrase, bytes(salt), 32, SCRYPT_OPTIONS);
    const decipher = createDecipheriv("aes-256-gcm", key, bytes(nonce), { authTagLength: 16 });
    decipher.setAuthTag(bytes(tag));
    return Buffer.concat([decipher.update(bytes(sealed)), decipher.final()]).toString("utf8");
  } catch (error) {
    throw new Error("BACKUP_PASSPHRASE is not the one that this backup was made with.", { cause: error });
  }
}

const buildDataKeyPath = ({ dataDir }: DataFolder): string => path.join(dataDir, "secrets", "data.key");

const parseEvidenceKeys = ({ EVIDENCE_KEYS }: Pick<Env, "EVIDENCE_KEYS">): string[] =>
  EVIDENCE_KEYS?.split(",").map((key) => key.trim()) ?? [];
