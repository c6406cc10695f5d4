import { Logger } from "graphile-worker";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";

/**
 * Writes the queue library's messages to our log, one line each. The library's metadata holds the whole job, and error
 * messages quote addresses and values, so only an error code is kept of either.
 */

const LOG_LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

export const jobLibraryLogger = new Logger(() => (level, message, meta) => {
  // Failed jobs are logged by the worker itself, one line a minute (lib/jobs/outcomes.ts).
  if (meta?.failure) return log.debug({ source: "jobs" }, message);
  const thrown = meta?.error ?? meta?.fatalError;
  if (thrown === undefined) log[LOG_LEVELS[level]]({ source: "jobs" }, message);
  else
    log[LOG_LEVELS[level]]({ source: "jobs", reason: describeErrorForLog(thrown) }, textBeforeError(message));
});

/** The text up to where it quotes an error. */
const textBeforeError = (message: string): string => message.split(/:|\n/, 1)[0] ?? "";

const CONSOLE_METHODS = ["error", "trace", "warn"] as const;
let isIntercepted = false;

/** Redirects what the library writes to the console, such as errors with multi-line stacks, to our log. */
export function redirectJobLibraryConsole(): void {
  if (isIntercepted) return;
  isIntercepted = true;
  for (const name of CONSOLE_METHODS) {
    const originalMethod = console[name].bind(console);
    console[name] = (...args: unknown[]) => {
      if (isCalledByLibrary()) logConsoleCall(args);
      else originalMethod(...args);
    };
  }
}

/** Returns whether the library itself called the console, and not a job that it awaits. */
const isCalledByLibrary = (): boolean =>
  (new Error().stack ?? "")
    .split("\n")
    .some((frame) => /[\\/]graphile-worker[\\/]/.test(frame) && !/^\s*at async /.test(frame));

function logConsoleCall(args: readonly unknown[]): void {
  const thrown = args.find((one) => one instanceof Error);
  const [firstArgument] = args;
  log.warn(
    { source: "jobs", ...(thrown ? { reason: describeErrorForLog(thrown) } : {}) },
    typeof firstArgument === "string" ? textBeforeError(firstArgument) : "a worker of the queue has ended",
  );
}
