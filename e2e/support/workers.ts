import os from "node:os";

/**
 * The number of test files that run at once, each with a service, a database and perhaps a browser of its own: one per
 * core, at least two and at most four. `npm test` has two runners at once, which take about a gigabyte of memory for
 * each file.
 */
export const TEST_WORKERS = Math.min(Math.max(os.availableParallelism(), 2), 4);
