import { spawn } from "node:child_process";
import { ROOT } from "#lib/build/prepare.ts";

/** What the registry knows against the packages that the service runs with. */
type Holes = { asked: false; why: string } | { asked: true; serious: string[] };

type Report = {
  message?: string;
  error?: { summary?: string; code?: string };
  vulnerabilities?: Record<string, { severity: string; range?: string }>;
};

/** Asks `npm audit`. A registry that can't be asked, as behind some mirrors, has found nothing, and cleared nothing. */
export async function knownHoles(): Promise<Holes> {
  const report = parse(await npmAudit());
  if (!report?.vulnerabilities) {
    const why = report?.error?.summary ?? report?.error?.code ?? report?.message ?? "no answer";
    return { asked: false, why: why.split("\n", 1)[0] ?? why };
  }
  return { asked: true, serious: seriousIn(report) };
}

/** The packages with a hole that counts as high or critical. */
export const seriousIn = ({ vulnerabilities = {} }: Report): string[] =>
  Object.entries(vulnerabilities)
    .filter(([, { severity }]) => severity === "high" || severity === "critical")
    .map(([name, { severity, range }]) => `${name} ${range ?? ""}: ${severity}`);

export function parse(output: string): Report | undefined {
  try {
    return JSON.parse(output) as Report;
  } catch {
    return undefined;
  }
}

function npmAudit(): Promise<string> {
  const words = ["audit", "--omit=dev", "--audit-level=high", "--json"];
  const child = spawn("npm", words, { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"], timeout: 60_000 });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("error", () => resolve(""));
    child.on("close", () => resolve(output));
  });
}
