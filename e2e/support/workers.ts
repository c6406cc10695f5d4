import os from "node:os";

/**
 * How many files of tests a runner has at once, each with a service, a database and perhaps a browser of its own: one a
 * core, two also where there is only one, and no more than four. `npm test` has two runners at once, which take about
 * a gigabyte of memory for each of their files.
 */
export const TEST_WORKERS = Math.min(Math.max(os.availableParallelism(), 2), 4);
