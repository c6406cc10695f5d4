import { spawn } from "node:child_process";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** Known vulnerabilities of the packages that the service runs with. */
type VulnerabilityAudit = { completed: false; why: string } | { completed: true; serious: string[] };

type NpmAuditReport = {
  message?: string;
  error?: { summary?: string; code?: string };
  vulnerabilities?: Record<string, { severity: string; range?: string }>;
};

/**
 * Runs `npm audit`. A registry that doesn't support it, as some mirrors don't, counts as not checked, not as a clean
 * result.
 */
export async function checkDependencyVulnerabilities(): Promise<VulnerabilityAudit> {
  const report = parseNpmAuditReport(await runNpmAudit());
  if (!report?.vulnerabilities) {
    return { completed: false, why: describeAuditFailure(report) };
  }
  return { completed: true, serious: listSeriousVulnerabilities(report) };
}

/** Returns why there is no report. Where the registry refuses, npm leaves `error.summary` empty and says it elsewhere. */
export function describeAuditFailure({ error, message }: NpmAuditReport = {}): string {
  const reason = error?.summary || error?.code || message || "no answer";
  return reason.split("\n", 1)[0] ?? reason;
}

/** The outcome as a step of `npm test`: an audit that couldn't be done neither passes nor fails, and the run's end says so. */
export function summarizeAudit(audit: VulnerabilityAudit): {
  passed: number;
  failed: number;
  remarks: string[];
} {
  if (!audit.completed)
    return {
      passed: 0,
      failed: 0,
      remarks: [
        `NOT CHECKED: known vulnerabilities of packages, since the registry could not be asked (${audit.why}). Run npm audit --omit=dev where it can.`,
      ],
    };
  const isClean = audit.serious.length === 0;
  return { passed: isClean ? 1 : 0, failed: isClean ? 0 : 1, remarks: audit.serious };
}

/** Returns the packages with a vulnerability rated high or critical. */
export const listSeriousVulnerabilities = ({ vulnerabilities = {} }: NpmAuditReport): string[] =>
  Object.entries(vulnerabilities)
    .filter(([, { severity }]) => severity === "high" || severity === "critical")
    .map(([name, { severity, range }]) => `${name} ${range ?? ""}: ${severity}`);

export function parseNpmAuditReport(output: string): NpmAuditReport | undefined {
  try {
    return JSON.parse(output) as NpmAuditReport;
  } catch {
    return undefined;
  }
}

function runNpmAudit(): Promise<string> {
  const args = ["audit", "--omit=dev", "--audit-level=high", "--json"];
  const child = spawn("npm", args, {
    cwd: PROJECT_ROOT,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 60_000,
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(output));
  });
}
