import { hkdfSync, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Env } from "#lib/env.ts";

/**
 * The secrets that the service makes for itself on its first run: files of mode 0600 in the folder `secrets`
 * (0700) of the data folder, 32 random bytes each, in base64url.
 */

export type SecretName = "session" | "data" | "database";
type DataFolder = Pick<Env, "dataDir">;

/**
 * Makes the data folder and the secret that seals cookies, where they are not there yet. Safe to call from several
 * processes at once. The data key is made once the database is known to hold nothing that another one sealed
 * (key-marks.ts), the password of the embedded database with that.
 */
export function ensureSecrets(env: DataFolder): void {
  loadSecret(env, "session");
}

/** A secret as it is in the data folder now; undefined where there is none. @throws Error when it is too short */
export const readSecret = (env: DataFolder, name: SecretName): string | undefined =>
  readSecretFile(secretPath(env, name));

/** Makes a secret, unless another process was quicker; returns the one that is there. */
export function createSecret(env: DataFolder, name: SecretName): string {
  const text = createSecretFile(secretPath(env, name));
  secretCache.set(secretPath(env, name), text);
  return text;
}

/** The keys that seal session cookies, newest first: SESSION_KEYS where set, else the one made on the first run. */
export function sessionKeys(env: Pick<Env, "dataDir" | "SESSION_KEYS">): string[] {
  return env.SESSION_KEYS?.split(",").map((key) => key.trim()) ?? [loadSecret(env, "session")];
}

/**
 * The key for what the service keeps or signs for itself and that must outlive a change of session keys.
 * @throws Error when it is gone: another one would open nothing of what this one sealed
 */
export function dataKey(env: DataFolder): string {
  const file = secretPath(env, "data");
  const text = secretCache.get(file) ?? readSecretFile(file);
  if (text === undefined) throw new Error("secrets/data.key is gone. Put it back, and start Heed again.");
  secretCache.set(file, text);
  return text;
}

/**
 * The master keys that seal originals, newest first: those of EVIDENCE_KEYS, then the one made from the data key,
 * which seals where nothing is set and goes on opening what was sealed before. 32 bytes each.
 */
export function evidenceKeys(env: EvidenceKeySource): [Buffer, ...Buffer[]] {
  const derivedKey = deriveEvidenceKey(dataKey(env));
  const [first = derivedKey, ...others] = [...parseEvidenceKeys(env), derivedKey];
  return [first, ...others];
}

/**
 * The master keys of the audit log, newest first: those of AUDIT_KEYS, then the data key. What seals and signs is made
 * from the first one; the others go on verifying. Makes no key, so a command in the wrong folder finds none.
 */
export function auditMasterKeys(env: Pick<Env, "dataDir" | "AUDIT_KEYS">): Buffer[] {
  const configuredKeys = env.AUDIT_KEYS?.split(",").map((key) => Buffer.from(key.trim(), "base64")) ?? [];
  const data = readSecretFile(secretPath(env, "data"));
  return data === undefined ? configuredKeys : [...configuredKeys, Buffer.from(data, "base64url")];
}

/** The same where there may be no data key; empty where there is none at all. */
export function findEvidenceKeys(env: EvidenceKeySource): Buffer[] {
  const data = readSecret(env, "data");
  return [...parseEvidenceKeys(env), ...(data === undefined ? [] : [deriveEvidenceKey(data)])];
}

type EvidenceKeySource = Pick<Env, "dataDir" | "EVIDENCE_KEYS">;

const parseEvidenceKeys = ({ EVIDENCE_KEYS }: EvidenceKeySource): Buffer[] =>
  EVIDENCE_KEYS?.split(",").map((key) => Buffer.from(key.trim(), "base64")) ?? [];

const deriveEvidenceKey = (dataKey: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(dataKey, "base64url"), "", "heed:evidence", 32));

/** The password of the embedded database. */
export function databasePassword(env: Pick<Env, "dataDir">): string {
  return loadSecret(env, "database");
}

const secretCache = new Map<string, string>();

function loadSecret(env: DataFolder, name: SecretName): string {
  const file = secretPath(env, name);
  const text = secretCache.get(file) ?? readSecretFile(file) ?? createSecretFile(file);
  secretCache.set(file, text);
  return text;
}

const secretPath = ({ dataDir }: Pick<Env, "dataDir">, name: SecretName): string =>
  path.join(/* turbopackIgnore: true */ dataDir, "secrets", `${name}.key`);

function readSecretFile(file: string): string | undefined {
  try {
    const text = fs.readFileSync(file, "utf8").trim();
    if (text.length < 32)
      throw new Error(`The secret in ${file} is too short. Put back the right file, or remove it.`);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Written under another name and then linked, so that nobody ever reads half a secret and the first one stays. */
function createSecretFile(file: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const handle = fs.openSync(/* turbopackIgnore: true */ draft, "wx", 0o600);
  try {
    fs.writeSync(handle, `${randomBytes(32).toString("base64url")}\n`);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    fs.unlinkSync(draft);
  }
  return readSecretFile(file) ?? createSecretFile(file);
}
