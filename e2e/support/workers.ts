import os from "node:os";

/**
 * The number of test files that run at once, each with a service, a database and perhaps a browser of its own: one per
 * core, at least two and at most four.
 */
export const TEST_WORKERS = Math.min(Math.max(os.availableParallelism(), 2), 4);

/**
 * The number of files that Vitest runs at once: two more than there are cores, since many wait for the database, a
 * time-out or a process that ends.
 */
export const VITEST_WORKERS = TEST_WORKERS + 2;
