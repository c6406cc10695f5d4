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
