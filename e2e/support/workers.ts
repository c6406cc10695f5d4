import os from "node:os";

/**
 * The number of test files that run at once, each with a service, a database and perhaps a browser of its own: one per
 * core, at least two and at most four. `npm test` has two runners at once, which take about a gigabyte of memory for
 * each file.
 */
export const TEST_WORKERS = Math.min(Math.max(os.availableParallelism(), 2), 4);

/** The memory that `npm test` takes on two cores with two files more than cores, databases in memory included. */
const NEEDED_MEMORY_BYTES = 10 * 1024 ** 3;

/**
 * The number of files that Vitest runs at once: two more than there are cores, since many wait for the database, a
 * time-out or a process that ends; one more where memory is short.
 */
export const VITEST_WORKERS = TEST_WORKERS + (process.availableMemory() >= NEEDED_MEMORY_BYTES ? 2 : 1);
