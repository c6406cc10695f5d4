import { createHash } from "node:crypto";
import { z } from "zod";
import { isSignedBy, type AuditKey } from "#lib/audit/keys.ts";

/**
 * A checkpoint says, signed with Ed25519, how the chains of the audit log stood at a time. It is a line of JSON that
 * holds the signed text as it is, so that whoever verifies it need not write that text anew.
 */

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

const ChainHead = z.object({ chain: z.string().max(36), seq: z.int().min(1), hash: sha256Hex });
export type ChainHead = z.infer<typeof ChainHead>;

const Checkpoint = z.object({
  format: z.literal("heed-audit-checkpoint-1"),
  /**
   * `periodic`: each hour and each 1,000 entries of a chain. `interim`: between those, in the data folder only.
   * `restore`: a backup was restored. `anchor`: the operator goes on from the chains as they are.
   */
  kind: z.enum(["periodic", "interim", "restore", "anchor"]),
  /** Counted from 1; an interim one has the number of the checkpoint before it. */
  number: z.int().min(0),
  /** SHA-256 of the line of the checkpoint before it; null in the first one. */
  previous: sha256Hex.nullable(),
  at: z.iso.datetime(),
  /** How many chains there are. Chains are never removed, also not with their organization. */
  chains: z.int().min(0),
  /** Whether every chain is in `heads`, or only those that grew since the checkpoint before it. */
  complete: z.boolean(),
  heads: z.array(ChainHead),
  /** Chains that could not be sealed, since they are not as they were. */
  refused: z.array(z.string()).default([]),
  /** Of the backup that was restored. */
  backupTakenAt: z.iso.datetime().optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

const CheckpointLine = z.object({ checkpoint: z.string(), publicKey: z.string(), signature: z.string() });

/** A checkpoint as it was read, with its line. */
export type SignedCheckpoint = Checkpoint & { line: string; publicKey: string };

/** The checkpoint as a line of JSON, without a line break. */
export function signCheckpoint(key: AuditKey, content: Omit<Checkpoint, "format">): SignedCheckpoint {
  const checkpoint: Checkpoint = { format: "heed-audit-checkpoint-1", ...content };
  const text = JSON.stringify(checkpoint);
  const { publicKey } = key;
  const line = JSON.stringify({ checkpoint: text, publicKey, signature: key.sign(text) });
  return { ...checkpoint, line, publicKey };
}

/**
 * Reads a line.
 * @param trustedKeys public keys
 * @returns undefined when it is no checkpoint at all; `genuine` tells whether one of the keys signed it
 */
export function readCheckpoint(
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

/** By which the next checkpoint names this one. */
export const digestCheckpoint = ({ line }: { line: string }): string =>
  createHash("sha256").update(line).digest("hex");

/** Whether it starts the seals anew: after it, what was known of the chains before doesn't count. */
export const isFreshStart = ({ kind }: Checkpoint): boolean => kind === "restore" || kind === "anchor";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
