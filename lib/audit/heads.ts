import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { isSignedBy, loadAuditKeys, requireNewestAuditKey, type AuditKey } from "#lib/audit/keys.ts";
import { listAuditHeads, listLostHeads } from "#lib/audit/heads-queries.ts";
import { env, type Env } from "#lib/env.ts";

/**
 * The heads of the chains, signed with Ed25519: a line of JSON that holds the signed text verbatim, so that verifying it
 * needs no serialization. It is in the data folder, out of reach of whoever has only the database, and goes out by mail
 * each night (docs/decisions/072).
 */

const AuditHead = z.object({
  chain: z.string().max(36),
  seq: z.int().min(1),
  /** The MAC of the entry, in hex. */
  mac: z.string().max(64),
});
export type AuditHead = z.infer<typeof AuditHead>;

const AuditHeads = z.object({
  format: z.literal("heed-audit-heads-1"),
  /** No head is newer. */
  at: z.iso.datetime(),
  heads: z.array(AuditHead),
  /** Chains that no longer have the entry that was their head. It stays theirs here. */
  lost: z.array(z.string()),
});
export type AuditHeads = z.infer<typeof AuditHeads>;

const SignedLine = z.object({ heads: z.string(), publicKey: z.string(), signature: z.string() });

/** Signs heads as a line of JSON without a line break. */
function signHeads(key: AuditKey, content: Omit<AuditHeads, "format">): string {
  const heads = JSON.stringify({ format: "heed-audit-heads-1", ...content } satisfies AuditHeads);
  return JSON.stringify({ heads, publicKey: key.publicKey, signature: key.sign(heads) });
}

/** Parses a line of heads. `genuine` is whether one of the keys signed it. @returns undefined for anything else */
export function parseHeads(
  line: string,
  keys: readonly AuditKey[],
): { heads: AuditHeads; genuine: boolean } | undefined {
  const signed = SignedLine.safeParse(parseJson(line));
  const heads = AuditHeads.safeParse(parseJson(signed.data?.heads ?? ""));
  if (!signed.data || !heads.data) return undefined;
  const { heads: text, publicKey, signature } = signed.data;
  const isOurs = keys.some((key) => key.publicKey === publicKey);
  return { heads: heads.data, genuine: isOurs && isSignedBy(publicKey, text, signature) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the heads that the data folder has; undefined where it has none.
 * @throws Error for a file that can't be read: nothing replaces it, or a tail could be cut, until the operator accepts the
 *   log as it is
 */
export function readRecordedHeads({ dataDir }: Pick<Env, "dataDir">): AuditHeads | undefined {
  const file = buildHeadsPath(dataDir);
  if (!fs.existsSync(file)) return undefined;
  const parsed = parseHeads(fs.readFileSync(file, "utf8"), []);
  if (!parsed) throw new Error(`${path.basename(file)} in the data folder can't be read`);
  return parsed.heads;
}

/**
 * Writes the present heads into the data folder. A chain that lost the head which is there keeps it, until the operator
 * accepts the log as it is.
 * @param forget whether to keep no former head
 * @returns the signed line
 */
export async function recordAuditHeads({ forget = false } = {}): Promise<{ line: string; lost: string[] }> {
  const { dataDir, AUDIT_KEYS } = env();
  const key = requireNewestAuditKey(loadAuditKeys({ dataDir, AUDIT_KEYS }));
  const known = (forget ? undefined : readRecordedHeads({ dataDir }))?.heads ?? [];
  const lost = new Set((await listLostHeads(known)).map(({ chain }) => chain));
  const heads = new Map(known.map((head) => [head.chain, head]));
  for (const head of await listAuditHeads()) if (!lost.has(head.chain)) heads.set(head.chain, head);
  const content = { at: new Date().toISOString(), heads: [...heads.values()], lost: [...lost] };
  const line = signHeads(key, content);
  const draft = `${buildHeadsPath(dataDir)}.part`;
  fs.writeFileSync(draft, `${line}\n`, { mode: 0o600 });
  fs.renameSync(draft, buildHeadsPath(dataDir));
  return { line, lost: content.lost };
}

const buildHeadsPath = (dataDir: string): string =>
  path.join(/* turbopackIgnore: true */ dataDir, "audit-heads.jsonl");
