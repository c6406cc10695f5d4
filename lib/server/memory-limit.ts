import path from "node:path";
import { EnvironmentVariablesSchema } from "#lib/env.ts";

const HEAP_OPTION = "--max-old-space-size";

const YOUNG_SPACE_OPTION = "--max-semi-space-size";

/**
 * The size of one half of the space for young objects, in megabytes; the space may take three times as much. V8 goes up
 * to 64.
 */
const YOUNG_SPACE_MB = 4;

/**
 * glibc otherwise keeps up to eight pools of freed memory per core, which add up with threads that inspect, hash and
 * compress. It also raises its thresholds, here in bytes, with the largest block that was ever freed, and from then on
 * keeps such blocks in the process.
 */
const ALLOCATOR_ENV = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/**
 * Variables with which Node keeps compiled code between starts, so that a start doesn't load TypeScript's compiler:
 * 16 MB less, and faster. Where the folder can't be written, Node runs without the cache.
 */
export const COMPILE_CACHE_ENV_VARIABLES = {
  NODE_COMPILE_CACHE: path.resolve(import.meta.dirname, "../../node_modules/.cache/compiled"),
};

/**
 * Options of Node and variables that limit a process from its start to `megabytes` of long-lived objects, and half of
 * its space for young ones to `youngMegabytes`.
 */
export const buildNodeMemoryOptionsAndEnv = (megabytes: number, youngMegabytes = YOUNG_SPACE_MB) => ({
  options: [`${HEAP_OPTION}=${megabytes}`, `${YOUNG_SPACE_OPTION}=${youngMegabytes}`],
  variables: { ...ALLOCATOR_ENV, ...COMPILE_CACHE_ENV_VARIABLES },
});

/**
 * Limits the heap and the allocator of the service. Without a limit, V8 collects old objects late on a machine with
 * much memory, and the process grows by hundreds of megabytes of garbage (docs/performance.md). Both limits are read
 * at process start, so the process replaces itself once, under the same process id. A heap limit set by a Node option
 * is left unchanged, and so is everything where the system can't replace a process (Windows).
 */
export function restartProcessWithMemoryLimit(): void {
  const { execPath, execArgv, argv, env } = process;
  const isLimited = [...execArgv, env.NODE_OPTIONS ?? ""].some((option) => option.includes(HEAP_OPTION));
  const megabytes = EnvironmentVariablesSchema.shape.HEAP_MB.safeParse(env.HEAP_MB);
  // A bad HEAP_MB is reported later, with all other variables.
  if (isLimited || !megabytes.success || !process.execve) return;
  const { options, variables } = buildNodeMemoryOptionsAndEnv(megabytes.data);
  process.execve(execPath, [execPath, ...options, ...execArgv, ...argv.slice(1)], { ...variables, ...env });
}
