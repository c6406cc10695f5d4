import { createHmac } from "node:crypto";
import type pg from "pg";
import { connectClient } from "#lib/database/connections.ts";
import { loadAuditKeys } from "#lib/audit/keys.ts";
import type { Env } from "#lib/env.ts";
import { computeSealKeyId } from "#lib/crypto/sealed-file.ts";
import {
  createOrReadSecret,
  listAvailableEvidenceMasterKeys,
  readSecret,
  type SecretName,
} from "#lib/crypto/secrets.ts";

/**
 * The database stores a fingerprint of each key that sealed something in it, so that a start without that key is
 * refused before it creates a new one (docs/architecture.md). To add a secret, add a line to `FINGERPRINTED_SECRETS`.
 * Keys that seal originals are recorded with those originals, so a key that no longer opens any may be removed.
 */

type KeySources = Pick<Env, "dataDir" | "EVIDENCE_KEYS">;
type AllKeySources = Pick<Env, "dataDir" | "EVIDENCE_KEYS" | "AUDIT_KEYS">;

/** What doesn't work without the data key: what it seals, and what only its keyed hashes recognize. */
export const DATA_KEY_USES =
  "second factors and recovery codes, the secrets of webhooks, originals, the seven words of conversations, and the list of what was deleted, closed or hidden (erasures.log)";

/** Secrets of the data folder that the database depends on, and what doesn't work without each. */
const FINGERPRINTED_SECRETS: Partial<Record<SecretName, string>> = { data: DATA_KEY_USES };

/** Computes a keyed hash of a constant, which distinguishes keys and reveals nothing about them. */
const computeSecretFingerprint = (name: string, key: string): string =>
  createHmac("sha256", key).update(`heed key fingerprint ${name}`).digest("hex");

/** A key that the database needs is missing. The message has two lines: what is missing, and what to do. */
export class EncryptionKeysMissingError extends Error {}

/**
 * Checks that the available keys open what is in the database; reads only.
 * @throws EncryptionKeysMissingError
 */
export async function assertEncryptionKeysMatchDatabase(
  client: pg.ClientBase,
  env: KeySources,
): Promise<void> {
  for (const [name, uses] of listFingerprintedSecrets())
    await checkFingerprintedSecret(client, env, { name, uses });
  await checkEvidenceKeys(client, env);
}

/**
 * Checks the keys at a start as `assertEncryptionKeysMatchDatabase` does, then creates secrets that never existed and
 * stores their fingerprints.
 * @throws EncryptionKeysMissingError
 */
export async function checkEncryptionKeysAndCreateMissingSecrets(
  client: pg.ClientBase,
  env: KeySources,
): Promise<void> {
  await assertEncryptionKeysMatchDatabase(client, env);
  for (const [name] of listFingerprintedSecrets()) {
    const fingerprint = computeSecretFingerprint(
      name,
      readSecret(env, name) ?? createOrReadSecret(env, name),
    );
    await client.query(
      `insert into public.key_fingerprints (name, fingerprint) values ($1, $2)
       on conflict (name, fingerprint) do update set lost_at = null where key_fingerprints.lost_at is not null`,
      [name, fingerprint],
    );
  }
}

/**
 * Like `checkEncryptionKeysAndCreateMissingSecrets`, but opens a connection of its own to `url`.
 * @throws EncryptionKeysMissingError
 */
export async function checkEncryptionKeysAndCreateMissingSecretsAtUrl(
  url: string,
  env: KeySources,
): Promise<void> {
  const client = await connectClient(url, { applicationName: "heed-keys" });
  try {
    await checkEncryptionKeysAndCreateMissingSecrets(client, env);
  } finally {
    await client.end();
  }
}

/**
 * Checks at a start that the keys of the newest entries of the audit log are available: the log would go on with another
 * key, and what is there could not be verified. Commands do without.
 * @throws EncryptionKeysMissingError
 */
export async function assertAuditKeysMatchDatabase(
  client: pg.ClientBase,
  env: Pick<Env, "dataDir" | "AUDIT_KEYS">,
): Promise<void> {
  const missing = await listMissingAuditKeyIds(client, env);
  if (missing.length === 0) return;
  throw new EncryptionKeysMissingError(
    `The audit log has entries of ${missing.length === 1 ? "a key" : "keys"} that AUDIT_KEYS does not hold (${missing.join(", ")}).\nSet AUDIT_KEYS as it was, with old keys behind the new one. Only where a key is lost for good: npm start -- --without-keys`,
  );
}

/** Records, on the operator's word, that missing keys are permanently lost: they are not required from then on. */
export async function recordMissingEncryptionKeysAsLost(
  client: pg.ClientBase,
  env: AllKeySources,
): Promise<void> {
  for (const [name] of listFingerprintedSecrets()) {
    const here = readSecret(env, name);
    await client.query(
      `update public.key_fingerprints set lost_at = now() where name = $1 and lost_at is null and fingerprint is distinct from $2`,
      [name, here ? computeSecretFingerprint(name, here) : null],
    );
  }
  const missingKeys = {
    evidence: (await listMissingEvidenceKeys(client, env)).map(({ id }) => id),
    audit: await listMissingAuditKeyIds(client, env),
  };
  for (const [name, ids] of Object.entries(missingKeys))
    await client.query(
      `insert into public.key_fingerprints (name, fingerprint, lost_at) select $1, id, now() from unnest($2::text[]) as id
       on conflict (name, fingerprint) do update set lost_at = now()`,
      [name, ids],
    );
}

const listFingerprintedSecrets = () => Object.entries(FINGERPRINTED_SECRETS) as [SecretName, string][];

type FingerprintedSecret = { name: SecretName; uses: string };

async function checkFingerprintedSecret(
  client: pg.ClientBase,
  env: KeySources,
  { name, uses }: FingerprintedSecret,
): Promise<void> {
  const key = readSecret(env, name);
  if (await isMatchingKey(client, { name, key })) return;
  const file = `secrets/${name}.key`;
  throw new EncryptionKeysMissingError(
    key === undefined
      ? `${file} is not in ${env.dataDir}, and this database needs it for ${uses}.\n${formatRecoveryAdvice(file)}`
      : `${file} in ${env.dataDir} is not the key that this database needs for ${uses}.\n${formatRecoveryAdvice(file)}`,
  );
}

type CandidateKey = { name: SecretName; key: string | undefined };

async function isMatchingKey(client: pg.ClientBase, { name, key }: CandidateKey): Promise<boolean> {
  const { rows } = await client.query<{ fingerprint: string; lost: boolean }>(
    "select fingerprint, lost_at is not null as lost from public.key_fingerprints where name = $1",
    [name],
  );
  const requiredFingerprints = rows.filter(({ lost }) => !lost);
  return requiredFingerprints.every(
    ({ fingerprint }) => key !== undefined && fingerprint === computeSecretFingerprint(name, key),
  );
}

const formatRecoveryAdvice = (file: string): string =>
  `Put the right ${file} there, from a backup or from the machine that has it. Only where it is lost for good: npm start -- --without-keys`;

type SealedOriginals = { id: string; originals: number };

async function checkEvidenceKeys(client: pg.ClientBase, env: KeySources): Promise<void> {
  const missing = await listMissingEvidenceKeys(client, env);
  if (missing.length === 0) return;
  const originals = missing.reduce((sum, one) => sum + one.originals, 0);
  const sealed = originals === 1 ? "1 original is sealed" : `${originals} originals are sealed`;
  throw new EncryptionKeysMissingError(
    `${sealed} with ${missing.length === 1 ? "a key" : `${missing.length} keys`} that EVIDENCE_KEYS does not hold (${missing.map(({ id }) => id).join(", ")}).\nSet EVIDENCE_KEYS as it was, with old keys behind the new one. Only where a key is lost for good: npm start -- --without-keys`,
  );
}

async function listMissingEvidenceKeys(client: pg.ClientBase, env: KeySources): Promise<SealedOriginals[]> {
  const { rows } = await client.query<SealedOriginals>(
    `select original_key_id as id, count(*)::int as originals from public.related_files
     where original_key_id is not null and not exists (
       select from public.key_fingerprints where name = 'evidence' and fingerprint = original_key_id and lost_at is not null)
     group by 1 order by 1`,
  );
  const here = new Set(listAvailableEvidenceMasterKeys(env).map(computeSealKeyId));
  return rows.filter(({ id }) => !here.has(id));
}

/** Lists the keys of each chain's newest entry that are neither available nor given up; development versions had none. */
async function listMissingAuditKeyIds(
  client: pg.ClientBase,
  env: Pick<Env, "dataDir" | "AUDIT_KEYS">,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select distinct e.key_id as id from public.audit_chains c
     join public.audit_entries e on e.chain = c.chain and e.seq = c.seq
     where e.key_id <> '' and not exists (
       select from public.key_fingerprints where name = 'audit' and fingerprint = e.key_id and lost_at is not null)
     order by 1`,
  );
  const here = new Set(loadAuditKeys(env).map(({ id }) => id));
  return rows.map(({ id }) => id).filter((id) => !here.has(id));
}
