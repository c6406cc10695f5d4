import { EnvSchema } from "#lib/env.ts";

/**
 * Bounds the heap of the service: without a bound V8 collects old objects late on a machine with much memory, and the
 * process grows by hundreds of megabytes of garbage (docs/performance.md). V8 takes the bound when a process starts, so
 * the program is put in the place of itself once, with the same id. Whoever sets the bound by an option of Node keeps it.
 * Imported before anything else by start.ts.
 */

const HEAP_OPTION = "--max-old-space-size";

const isHeapOptionSet = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((option) =>
  option.includes(HEAP_OPTION),
);
const megabytes = EnvSchema.shape.HEAP_MB.safeParse(process.env.HEAP_MB);

// What HEAP_MB should be in place of a bad value is said with all the other variables. Windows can't do it.
if (!isHeapOptionSet && megabytes.success && process.execve) {
  const { execPath, execArgv, argv, env } = process;
  process.execve(
    execPath,
    [execPath, `${HEAP_OPTION}=${megabytes.data}`, ...execArgv, ...argv.slice(1)],
    env,
  );
}
