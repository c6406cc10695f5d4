import { EnvSchema } from "#lib/env.ts";

/**
 * Limits the heap of the service. Without a limit, V8 collects old objects late on a machine with much memory, and
 * the process grows by hundreds of megabytes of garbage (docs/performance.md). V8 reads the limit at process start,
 * so the program replaces itself once, under the same process id. A limit set by a Node option is left unchanged.
 * start.ts imports this before anything else.
 */

const HEAP_OPTION = "--max-old-space-size";

const isHeapOptionSet = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((option) =>
  option.includes(HEAP_OPTION),
);
const megabytes = EnvSchema.shape.HEAP_MB.safeParse(process.env.HEAP_MB);

// A bad HEAP_MB is reported later, with all other variables. Windows can't replace a process.
if (!isHeapOptionSet && megabytes.success && process.execve) {
  const { execPath, execArgv, argv, env } = process;
  process.execve(
    execPath,
    [execPath, `${HEAP_OPTION}=${megabytes.data}`, ...execArgv, ...argv.slice(1)],
    env,
  );
}
