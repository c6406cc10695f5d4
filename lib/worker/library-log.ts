import { Logger } from "graphile-worker";
import { reasonOf } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";

/**
 * What the library of the queue says, a line of our log each. What it passes beside its words holds the whole job, and
 * words of errors quote addresses and values: of both only a code is kept.
 */

const LOG_LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

export const libraryLogger = new Logger(() => (level, message, meta) => {
  // The worker itself logs jobs that failed, a line a minute (failure-log.ts).
  if (meta?.failure) return log.debug({ source: "jobs" }, message);
  const thrown = meta?.error ?? meta?.fatalError;
  if (thrown === undefined) log[LOG_LEVELS[level]]({ source: "jobs" }, message);
  else log[LOG_LEVELS[level]]({ source: "jobs", reason: reasonOf(thrown) }, textBeforeError(message));
});

/** Up to where an error is quoted. */
const textBeforeError = (message: string): string => message.split(/:|\n/, 1)[0] ?? "";

const CONSOLE_METHODS = ["error", "trace", "warn"] as const;
let isIntercepted = false;

/** Some things the library says on the console instead, with errors and their stacks over many lines. */
export function interceptLibraryConsole(): void {
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

/** It called the console itself, and nothing that it waits for did. */
const isCalledByLibrary = (): boolean =>
  (new Error().stack ?? "")
    .split("\n")
    .some((frame) => /[\\/]graphile-worker[\\/]/.test(frame) && !/^\s*at async /.test(frame));

function logConsoleCall(args: readonly unknown[]): void {
  const thrown = args.find((one) => one instanceof Error);
  const [firstArgument] = args;
  log.warn(
    { source: "jobs", ...(thrown ? { reason: reasonOf(thrown) } : {}) },
    typeof firstArgument === "string" ? textBeforeError(firstArgument) : "a worker of the queue has ended",
  );
}
