import { hkdfSync, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Env } from "#lib/env.ts";

/**
 * Secrets that the service generates on its first run: files of mode 0600 in the folder `secrets` (0700) of the data
 * folder, 32 random bytes each, in base64url.
 */

export type SecretName = "session" | "data" | "database";
type DataFolder = Pick<Env, "dataDir">;

/**
 * Creates the data folder and the session secret, where missing. Safe to call from several processes at once. The
 * data key is created once the database is known to contain nothing that another key sealed (key-fingerprints.ts), the
 * password of the embedded database together with that database.
 */
export function ensureSessionSecret(env: DataFolder): void {
  loadSecret(env, "session");
}

/** Reads a secret from the data folder; undefined where there is none. @throws Error when it is too short */
export const readSecret = (env: DataFolder, name: SecretName): string | undefined =>
  readSecretFile(buildSecretPath(env, name));

/** Returns a secret, and creates it first if there is none. Of several processes, one creates it. */
export function createOrReadSecret(env: DataFolder, name: SecretName): string {
  const text = createSecretFile(buildSecretPath(env, name));
  secretCache.set(buildSecretPath(env, name), text);
  return text;
}

/**
 * Returns the keys that seal session cookies, newest first: SESSION_KEYS where set, else the one generated on
 * the first run.
 */
export function loadSessionCookieKeys(env: Pick<Env, "dataDir" | "SESSION_KEYS">): string[] {
  return env.SESSION_KEYS?.split(",").map((key) => key.trim()) ?? [loadSecret(env, "session")];
}

/**
 * Returns the data key, which seals and signs what must survive a change of session keys.
 * @throws Error when the file is gone; a new key could open nothing that the old one sealed
 */
export function loadDataKey(env: DataFolder): string {
  const file = buildSecretPath(env, "data");
  const text = secretCache.get(file) ?? readSecretFile(file);
  if (text === undefined) throw new Error("secrets/data.key is gone. Put it back, and start Heed again.");
  secretCache.set(file, text);
  return text;
}

/**
 * Returns the master keys that seal originals, newest first, 32 bytes each: those of EVIDENCE_KEYS, then the one
 * derived from the data key, which seals when EVIDENCE_KEYS is unset and still opens what it sealed before.
 */
export function loadEvidenceMasterKeys(env: EvidenceKeySource): [Buffer, ...Buffer[]] {
  const derivedKey = deriveEvidenceKey(loadDataKey(env));
  const [first = derivedKey, ...others] = [...parseEvidenceKeys(env), derivedKey];
  return [first, ...others];
}

/**
 * Returns the master keys of the audit log, newest first: those of AUDIT_KEYS, then the data key. The first one makes
 * MACs and signs; the others still verify. Creates no key, so a command in the wrong folder finds none.
 */
export function loadAuditMasterKeys(env: Pick<Env, "dataDir" | "AUDIT_KEYS">): Buffer[] {
  const configuredKeys = env.AUDIT_KEYS?.split(",").map((key) => Buffer.from(key.trim(), "base64")) ?? [];
  const data = readSecretFile(buildSecretPath(env, "data"));
  return data === undefined ? configuredKeys : [...configuredKeys, Buffer.from(data, "base64url")];
}

/** Like `loadEvidenceMasterKeys`, where the data key may be missing; empty without any key. */
export function listAvailableEvidenceMasterKeys(env: EvidenceKeySource): Buffer[] {
  const data = readSecret(env, "data");
  return [...parseEvidenceKeys(env), ...(data === undefined ? [] : [deriveEvidenceKey(data)])];
}

type EvidenceKeySource = Pick<Env, "dataDir" | "EVIDENCE_KEYS">;

const parseEvidenceKeys = ({ EVIDENCE_KEYS }: EvidenceKeySource): Buffer[] =>
  EVIDENCE_KEYS?.split(",").map((key) => Buffer.from(key.trim(), "base64")) ?? [];

const deriveEvidenceKey = (dataKey: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Buffer.from(dataKey, "base64url"), "", "heed:evidence", 32));

/** Loads the password of the database server in the data folder; creates it where it is missing. */
export function loadEmbeddedDatabasePassword(env: Pick<Env, "dataDir">): string {
  return loadSecret(env, "database");
}

const secretCache = new Map<string, string>();

function loadSecret(env: DataFolder, name: SecretName): string {
  const file = buildSecretPath(env, name);
  const text = secretCache.get(file) ?? readSecretFile(file) ?? createSecretFile(file);
  secretCache.set(file, text);
  return text;
}

const buildSecretPath = ({ dataDir }: Pick<Env, "dataDir">, name: SecretName): string =>
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

/**
 * Writes the file under another name and then links it, so that no one reads half a secret and the first one stays.
 */
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
