import { Logger } from "graphile-worker";
import { reasonOf } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";

/**
 * What the library of the queue says, a line of our log each. What it passes beside its words holds the whole job, and
 * words of errors quote addresses and values: of both only a code is kept.
 */

const LEVELS = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

export const libraryLog = new Logger(() => (level, message, meta) => {
  // The worker itself logs jobs that failed, a line a minute (failure-log.ts).
  if (meta?.failure) return log.debug({ source: "jobs" }, message);
  const thrown = meta?.error ?? meta?.fatalError;
  if (thrown === undefined) log[LEVELS[level]]({ source: "jobs" }, message);
  else log[LEVELS[level]]({ source: "jobs", reason: reasonOf(thrown) }, beginning(message));
});

/** Up to where an error is quoted. */
const beginning = (message: string): string => message.split(/:|\n/, 1)[0] ?? "";

const NAMES = ["error", "trace", "warn"] as const;
let heard = false;

/** Some things the library says on the console instead, with errors and their stacks over many lines. */
export function hearLibraryOnConsole(): void {
  if (heard) return;
  heard = true;
  for (const name of NAMES) {
    const say = console[name].bind(console);
    console[name] = (...given: unknown[]) => {
      if (isLibrarySpeaking()) noteWords(given);
      else say(...given);
    };
  }
}

/** It called the console itself, and nothing that it waits for did. */
const isLibrarySpeaking = (): boolean =>
  (new Error().stack ?? "")
    .split("\n")
    .some((frame) => /[\\/]graphile-worker[\\/]/.test(frame) && !/^\s*at async /.test(frame));

function noteWords(given: readonly unknown[]): void {
  const thrown = given.find((one) => one instanceof Error);
  const [words] = given;
  log.warn(
    { source: "jobs", ...(thrown ? { reason: reasonOf(thrown) } : {}) },
    typeof words === "string" ? beginning(words) : "a worker of the queue has ended",
  );
}
