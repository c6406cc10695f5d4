import type { AuditChainVerificationResult } from "#lib/audit/verify.ts";

/**
 * Problems that an inspection of the audit log can find, most significant first: the exit code is that of the
 * first kind found.
 */
const AUDIT_LOG_FINDING_KINDS = {
  /** The chain continues in two versions, and both were signed or sealed. */
  forked: { word: "FORKED", exitCode: 6 },
  /** An entry differs from the one that was sealed or signed. */
  rewritten: { word: "REWRITTEN", exitCode: 4 },
  /** An entry that was sealed or signed is gone. */
  cut: { word: "CUT", exitCode: 5 },
  /** Consecutive entries don't match. */
  broken: { word: "BROKEN", exitCode: 3 },
  /** A seal or signature was not made with a key of this installation. */
  forged: { word: "FORGED", exitCode: 7 },
  /** Seals or checkpoints are gone. */
  missing: { word: "MISSING", exitCode: 8 },
  /** Entries that should be sealed by now are not. */
  unsealed: { word: "UNSEALED", exitCode: 9 },
} as const;

type AuditLogFindingKind = keyof typeof AUDIT_LOG_FINDING_KINDS;

/** `seq` is the number of the entry that the finding is about, if any. */
export type AuditFinding = {
  kind: AuditLogFindingKind;
  chain: string | null;
  seq: number | null;
  text: string;
};

export type AuditInspection = { findings: AuditFinding[]; notes: string[] };

/** Returns the exit code of an inspection; 0 without findings. */
export function computeExitCode(findings: readonly AuditFinding[]): number {
  const kinds = Object.keys(AUDIT_LOG_FINDING_KINDS) as AuditLogFindingKind[];
  const first = kinds.find((kind) => findings.some((finding) => finding.kind === kind));
  return first ? AUDIT_LOG_FINDING_KINDS[first].exitCode : 0;
}

export const formatChainName = (chain: string): string =>
  chain === "system" ? "system" : `organization ${chain}`;

/** Creates the finding for a chain whose hashes don't match. */
export const createBrokenChainFinding = ({
  chain,
  brokenAt,
}: AuditChainVerificationResult): AuditFinding => ({
  kind: "broken",
  chain,
  seq: brokenAt,
  text: `the first entry that does not fit is number ${brokenAt}`,
});

/** Formats a line per chain, a line per finding, and the notes. */
export function formatInspectionLines(
  results: readonly AuditChainVerificationResult[],
  { findings, notes }: AuditInspection,
): string[] {
  const formatFindingLine = ({ kind, text }: AuditFinding, about: string) =>
    `${AUDIT_LOG_FINDING_KINDS[kind].word.padEnd(10)}${about}${text}`;
  const chainLines = results.flatMap(({ chain, entries }) => {
    const about = `${formatChainName(chain)}: ${entries === 1 ? "1 entry" : `${entries} entries`}`;
    const chainFindings = findings.filter((finding) => finding.chain === chain);
    if (chainFindings.length === 0) return [`${"ok".padEnd(10)}${about}`];
    return chainFindings.map((finding) => formatFindingLine(finding, `${about}, `));
  });
  const reportedChains = new Set(results.map(({ chain }) => chain));
  const otherFindings = findings.filter(({ chain }) => chain === null || !reportedChains.has(chain));
  return [
    ...chainLines,
    ...otherFindings.map((finding) =>
      formatFindingLine(finding, finding.chain === null ? "" : `${formatChainName(finding.chain)}: `),
    ),
    ...(results.length === 0 ? ["The audit log is empty."] : []),
    ...notes,
  ];
}
