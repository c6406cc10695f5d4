import type { AuditLogAcceptance } from "#lib/audit/acceptances.ts";
import type { AuditChainVerification } from "#lib/audit/verify.ts";

/**
 * Problems that a verification of the audit log can find, most significant first: the exit code is that of the first kind
 * found.
 */
const AUDIT_FINDING_KINDS = {
  /** The chain continues in two versions, and the service wrote both. */
  forked: { word: "FORKED", exitCode: 6 },
  /** An entry isn't as the service wrote it. */
  rewritten: { word: "REWRITTEN", exitCode: 4 },
  /** An entry is gone. */
  cut: { word: "CUT", exitCode: 5 },
  /** An entry, or heads from elsewhere, have a key that isn't this installation's. */
  forged: { word: "FORGED", exitCode: 7 },
} as const;

/** `seq` is the number of the entry that the finding is about. */
export type AuditFinding = {
  kind: keyof typeof AUDIT_FINDING_KINDS;
  chain: string;
  seq: number;
  text: string;
};

/** Returns the exit code of a verification; 0 without findings. */
export function computeExitCode(kinds: readonly AuditFinding["kind"][]): number {
  const all = Object.keys(AUDIT_FINDING_KINDS) as AuditFinding["kind"][];
  const first = all.find((kind) => kinds.includes(kind));
  return first ? AUDIT_FINDING_KINDS[first].exitCode : 0;
}

/** Formats a line of a report: the word for its kind, then what it is about. */
export const formatFindingLine = (kind: AuditFinding["kind"] | "ok", text: string): string =>
  `${(kind === "ok" ? "ok" : AUDIT_FINDING_KINDS[kind].word).padEnd(10)}${text}`;

/** Formats a line per chain or finding, and what the operator accepted. */
export function formatVerification(
  results: readonly AuditChainVerification[],
  acceptances: readonly AuditLogAcceptance[],
): string[] {
  const lines = results.flatMap(({ chain, entries, findings, unverifiable }) => {
    const name = chain === "system" ? "system" : `organization ${chain}`;
    const about = `${name}: ${formatCount(entries)}`;
    const lost = unverifiable > 0 ? [`${name}: ${formatCount(unverifiable)} of a lost key, unverified.`] : [];
    const found = findings.map(({ kind, text }) => formatFindingLine(kind, `${about}; ${text}`));
    return [...(found.length > 0 ? found : [formatFindingLine("ok", about)]), ...lost];
  });
  const notes = acceptances.map(({ at, backupTakenAt }) =>
    backupTakenAt === undefined
      ? `At ${at} the operator went on from the log as it was.`
      : `Restored at ${at} from a backup of ${backupTakenAt}. What was written in between is gone.`,
  );
  return [...(results.length === 0 ? ["The audit log is empty."] : lines), ...notes];
}

const formatCount = (entries: number): string => (entries === 1 ? "1 entry" : `${entries} entries`);
