import { createHash } from "node:crypto";
import { z } from "zod";
import { isSignedBy, type AuditKey } from "#lib/audit/keys.ts";

/**
 * A checkpoint states, signed with Ed25519, the heads of the audit log's chains at a time. It is a line of JSON that
 * contains the signed text verbatim, so that verifying it needs no serialization.
 */

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

const ChainHead = z.object({ chain: z.string().max(36), seq: z.int().min(1), hash: sha256Hex });
export type ChainHead = z.infer<typeof ChainHead>;

const Checkpoint = z.object({
  format: z.literal("heed-audit-checkpoint-1"),
  /**
   * `periodic`: every hour and every 1,000 entries of a chain. `interim`: between those, in the data folder only.
   * `restore`: a backup was restored. `anchor`: the operator accepted the chains as they were.
   */
  kind: z.enum(["periodic", "interim", "restore", "anchor"]),
  /** Counted from 1; an interim checkpoint has the number of the checkpoint before it. */
  number: z.int().min(0),
  /** SHA-256 of the line of the previous checkpoint; null in the first one. */
  previous: sha256Hex.nullable(),
  at: z.iso.datetime(),
  /** Number of chains. Chains are never removed, even when their organization is. */
  chains: z.int().min(0),
  /** Whether `heads` lists every chain, or only those that grew since the previous checkpoint. */
  complete: z.boolean(),
  heads: z.array(ChainHead),
  /** Chains that were not sealed because they no longer match their seals or checkpoints. */
  refused: z.array(z.string()).default([]),
  /** Time of the backup that was restored. */
  backupTakenAt: z.iso.datetime().optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

const CheckpointLine = z.object({ checkpoint: z.string(), publicKey: z.string(), signature: z.string() });

/** A parsed checkpoint with its line. */
export type SignedCheckpoint = Checkpoint & { line: string; publicKey: string };

/** Signs a checkpoint as a line of JSON without a line break. */
export function signCheckpoint(key: AuditKey, content: Omit<Checkpoint, "format">): SignedCheckpoint {
  const checkpoint: Checkpoint = { format: "heed-audit-checkpoint-1", ...content };
  const text = JSON.stringify(checkpoint);
  const { publicKey } = key;
  const line = JSON.stringify({ checkpoint: text, publicKey, signature: key.sign(text) });
  return { ...checkpoint, line, publicKey };
}

/**
 * Parses a line of a checkpoint file, and checks its signature.
 * @param trustedKeys public keys
 * @returns undefined when the line is no checkpoint; `genuine` is whether one of the keys signed it
 */
export function parseAndVerifyCheckpoint(
  line: string,
  trustedKeys: readonly string[],
): { checkpoint: SignedCheckpoint; genuine: boolean } | undefined {
  const parsed = CheckpointLine.safeParse(parseJson(line));
  if (!parsed.success) return undefined;
  const { checkpoint: text, publicKey, signature } = parsed.data;
  const content = Checkpoint.safeParse(parseJson(text));
  if (!content.success) return undefined;
  const genuine = trustedKeys.includes(publicKey) && isSignedBy(publicKey, text, signature);
  return { checkpoint: { ...content.data, line, publicKey }, genuine };
}

/** Computes the digest by which the next checkpoint refers to this one. */
export const digestCheckpoint = ({ line }: { line: string }): string =>
  createHash("sha256").update(line).digest("hex");

/** Returns whether a checkpoint starts the seals over: what was known of the chains before it no longer counts. */
export const isSealRestart = ({ kind }: Checkpoint): boolean => kind === "restore" || kind === "anchor";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
