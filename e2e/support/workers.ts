import os from "node:os";

/**
 * How many files of tests run at once, each with a service, a database and perhaps a browser of its own: one a core,
 * two also where there is only one, and no more than four, which take about 4 GB of memory.
 */
export const TEST_WORKERS = Math.min(Math.max(os.availableParallelism(), 2), 4);
