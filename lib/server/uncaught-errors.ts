import fs from "node:fs";
import { buildErrorLogFields } from "#lib/observability/error-fields.ts";

/**
 * Handles errors that no code expected (docs/operating.md, "When something breaks"). One log line says what kind of
 * error it was and where it happened, without its message, which may quote what somebody wrote.
 */

const EXCEPTION_EVENT = "uncaughtException";
const REJECTION_EVENT = "unhandledRejection";
/** Next looks for a rejection listener under this name before it installs its own, which prints rejections in full. */
const NEXT_REJECTION_LISTENER = Symbol.for("next.unhandledRejectionListener");

/**
 * Handles uncaught errors. After an unhandled rejection the process goes on, since nothing relied on its result.
 * After an uncaught exception unknown work may be half done, so `onFatalError` is called once.
 */
export function handleUncaughtErrors(onFatalError: () => void): void {
  let isLeaving = false;
  const onException = (thrown: unknown) => {
    if (isLostConnection(thrown))
      return writeErrorLine("error", "a lost connection that nobody listened to", thrown);
    writeErrorLine("fatal", "an exception that nobody caught", thrown);
    if (!isLeaving) onFatalError();
    isLeaving = true;
  };
  const onRejection = (reason: unknown) =>
    writeErrorLine("error", "a rejection that nobody waited for", reason);
  process.on(EXCEPTION_EVENT, onException);
  process.on(REJECTION_EVENT, onRejection);
  // The reader of the log has closed: the service goes on without one, since logging that would fail the same way.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  (globalThis as { [NEXT_REJECTION_LISTENER]?: unknown })[NEXT_REJECTION_LISTENER] = onRejection;
  process.on("newListener", (event, listener) => {
    // Next's listener would also print the whole error.
    if (event === EXCEPTION_EVENT && listener !== onException)
      queueMicrotask(() => process.off(EXCEPTION_EVENT, listener));
  });
}

/** Lost connections aren't fatal: anybody can break a connection at any time, and it leaves nothing half done. */
const isLostConnection = (thrown: unknown): boolean =>
  LOST_CONNECTION_CODES.has(String((thrown as { code?: unknown } | null)?.code)) &&
  thrown instanceof Error &&
  "syscall" in thrown;

const LOST_CONNECTION_CODES = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ETIMEDOUT"]);

/** Writes synchronously and without the logger, which reads the environment when loaded and may itself be broken. */
function writeErrorLine(level: string, msg: string, thrown: unknown): void {
  const line = `${JSON.stringify({ level, time: new Date().toISOString(), err: buildErrorLogFields(thrown), msg })}\n`;
  try {
    fs.writeSync(process.stdout.fd, line);
  } catch {
    // Reached when nobody reads as fast as this is written.
    process.stdout.write(line);
  }
}
