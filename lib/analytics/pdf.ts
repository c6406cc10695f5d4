import { fork } from "node:child_process";
import path from "node:path";
import { COLORS } from "#lib/design/tokens.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { Report, ReportLine } from "./report.ts";

/** How many reports a PDF lists, the newest ones; the CSV has them all. */
export const LISTED_IN_PDF = 1000;

const WAITING_AT_MOST = 4;
const TIME_LIMIT_MS = 120_000;
const MEMORY_MB = 384;

// One PDF at a time a process: setting one takes a core for some seconds, and requests come first.
let last: Promise<unknown> = Promise.resolve();
// Whose PDF waits or is being set: one a person, so that nobody takes all the places.
const waiting = new Set<string>();

/**
 * The report and its list as an A4 PDF, set in a process of its own: typesetting leaves hundreds of
 * megabytes behind, which a thread would not give back. `signal` ends it early, when the client has gone.
 * @throws AppError SERVICE_UNAVAILABLE when a PDF of this person waits already, too many wait, or it takes over two minutes
 */
export async function renderPdf(
  report: Report,
  lines: readonly ReportLine[],
  { personId, signal }: { personId: string; signal?: AbortSignal | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  if (waiting.has(personId) || waiting.size >= WAITING_AT_MOST) throw busy();
  waiting.add(personId);
  const mine = last.then(() => typeset({ report, lines, colors: colors() }, signal));
  last = mine.catch(() => undefined);
  return mine.finally(() => waiting.delete(personId));
}

/** Paper is light, whatever the screen shows. */
const colors = (): Record<string, string> =>
  Object.fromEntries(Object.entries(COLORS).map(([name, { light }]) => [name, light]));

type Job = { report: Report; lines: readonly ReportLine[]; colors: Record<string, string> };

async function typeset(job: Job, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  if (signal?.aborted) throw busy();
  const program = path.join(/* turbopackIgnore: true */ process.cwd(), "lib", "analytics", "typeset.mjs");
  // It gets the report and nothing else: no secret of the environment.
  const child = fork(program, {
    env: { NODE_ENV: "production" },
    execArgv: [`--max-old-space-size=${MEMORY_MB}`],
    serialization: "advanced",
  });
  const ended = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), ...(signal ? [signal] : [])]);
  try {
    return await new Promise((resolve, reject) => {
      ended.addEventListener("abort", () => reject(busy()), { once: true });
      child.once("message", (pdf) => resolve(pdf as Uint8Array<ArrayBuffer>));
      child.once("error", reject);
      child.once("exit", (code) =>
        reject(new Error(`the PDF could not be set; its process ended with ${code}`)),
      );
      child.send(job);
    });
  } finally {
    child.kill("SIGKILL");
  }
}

const busy = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "The PDF could not be made now.",
    "Try again in a minute, or take the CSV.",
    { "Retry-After": "60" },
  );
