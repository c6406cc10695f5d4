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
    const reason = report?.error?.summary ?? report?.error?.code ?? report?.message ?? "no answer";
    return { completed: false, why: reason.split("\n", 1)[0] ?? reason };
  }
  return { completed: true, serious: listSeriousVulnerabilities(report) };
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
