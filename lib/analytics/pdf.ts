import path from "node:path";
import { Worker } from "node:worker_threads";
import { COLORS } from "#lib/design/tokens.ts";
import { AppError } from "#lib/errors.ts";
import type { Report, ReportLine } from "./report.ts";

/** How many reports a PDF lists, the newest ones; the CSV has them all. */
export const LISTED_IN_PDF = 1000;

const WAITING_AT_MOST = 4;
const TIME_LIMIT_MS = 60_000;
const MEMORY_MB = 384;

// One PDF at a time a process: setting one takes a core for a moment, and requests come first.
let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * The report and its list as an A4 PDF, set in a worker thread of its own that is gone afterwards with all
 * its memory. `signal` ends it early, when the client has gone.
 * @throws AppError SERVICE_UNAVAILABLE when too many wait already, or it takes over a minute
 */
export async function renderPdf(
  report: Report,
  lines: readonly ReportLine[],
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  if (waiting >= WAITING_AT_MOST) throw busy();
  waiting += 1;
  const mine = last.then(() => inWorker({ report, lines, colors: colors() }, signal));
  last = mine.catch(() => undefined);
  return mine.finally(() => (waiting -= 1));
}

/** Paper is light, whatever the screen shows. */
const colors = (): Record<string, string> =>
  Object.fromEntries(Object.entries(COLORS).map(([name, { light }]) => [name, light]));

async function inWorker(workerData: unknown, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  if (signal?.aborted) throw busy();
  const worker = new Worker(
    path.join(/* turbopackIgnore: true */ process.cwd(), "lib", "analytics", "pdf-worker.mjs"),
    {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    },
  );
  const ended = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), ...(signal ? [signal] : [])]);
  try {
    return await new Promise((resolve, reject) => {
      ended.addEventListener("abort", () => reject(busy()), { once: true });
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", (code) => reject(new Error(`the PDF worker ended with ${code}`)));
    });
  } finally {
    await worker.terminate();
  }
}

const busy = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "The PDF could not be made now.",
    "Try again in a minute, or take the CSV.",
    { "Retry-After": "60" },
  );
