import { fork } from "node:child_process";
import path from "node:path";
import { COLORS } from "#lib/design/tokens.ts";
import { buildIsolatedProcessEnv } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { PdfTypesettingJob } from "./typeset-job.ts";

/** The number of reports that a PDF lists, the newest ones; the CSV has all of them. */
export const MAX_REPORTS_IN_PDF = 1000;

const MAX_WAITING_PDFS = 4;
const TIME_LIMIT_MS = 120_000;
const MAX_MEMORY_MB = 384;

// One PDF at a time per process: typesetting uses a core for some seconds, and requests take priority.
let lastRender: Promise<unknown> = Promise.resolve();
// People whose PDF is queued or being typeset: one PDF per person, so that nobody takes all the slots.
const waitingPersonIds = new Set<string>();

type PdfContent = PdfTypesettingJob extends infer Job
  ? Job extends unknown
    ? Omit<Job, "colors">
    : never
  : never;

/**
 * Renders a document as an A4 PDF in a separate process: typesetting allocates hundreds of megabytes, which a thread
 * wouldn't release. `signal` aborts it when the client disconnects.
 * @throws AppError SERVICE_UNAVAILABLE when this person already has a PDF waiting, too many are waiting, or it takes
 *   over two minutes
 */
export async function renderPdf(
  content: PdfContent,
  { personId, signal }: { personId: string; signal?: AbortSignal | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  if (waitingPersonIds.has(personId) || waitingPersonIds.size >= MAX_WAITING_PDFS)
    throw createPdfUnavailableError();
  waitingPersonIds.add(personId);
  const currentRender = lastRender.then(() => typesetInProcess({ ...content, colors: listColors() }, signal));
  lastRender = currentRender.catch(() => undefined);
  return currentRender.finally(() => waitingPersonIds.delete(personId));
}

/** Paper is light, whichever theme the screen uses. */
const listColors = (): Record<string, string> =>
  Object.fromEntries(Object.entries(COLORS).map(([name, { light }]) => [name, light]));

async function typesetInProcess(
  job: PdfTypesettingJob,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  if (signal?.aborted) throw createPdfUnavailableError();
  const program = path.join(/* turbopackIgnore: true */ process.cwd(), "lib", "analytics", "typeset.ts");
  // The child gets the report, and no secret from the environment.
  const child = fork(program, {
    env: buildIsolatedProcessEnv(),
    execArgv: [`--max-old-space-size=${MAX_MEMORY_MB}`],
    serialization: "advanced",
  });
  const stopSignal = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), ...(signal ? [signal] : [])]);
  try {
    return await new Promise((resolve, reject) => {
      stopSignal.addEventListener("abort", () => reject(createPdfUnavailableError()), { once: true });
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

const createPdfUnavailableError = () =>
  new AppError("SERVICE_UNAVAILABLE", "pdfUnavailable", {}, { headers: { "Retry-After": "60" } });
