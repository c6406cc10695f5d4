import { setTimeout as sleep } from "node:timers/promises";
import { addDatabaseErasuresToFile } from "#lib/erasures/ledger.ts";
import { sweepTemporaryFolders } from "#lib/files/storage/sweep.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";

/**
 * The hourly work on a data folder, which the process that owns the folder does itself: a job of the queue runs on one
 * machine only, and each machine has a data folder of its own.
 */

const UPKEEP_INTERVAL_MS = 3600_000;
const STOP_TIMEOUT_MS = 10_000;

const UPKEEP_STEPS = { sweepTemporaryFolders, addDatabaseErasuresToFile };

type DataFolderUpkeep = {
  /** Begins no other round, and waits for the running one. */
  stop(): Promise<void>;
};

/** Starts the hourly work, with the first round an interval from now. A step that fails is tried again in the next. */
export function startDataFolderUpkeep(intervalMs = UPKEEP_INTERVAL_MS): DataFolderUpkeep {
  let rounds = Promise.resolve();
  const timer = setInterval(() => (rounds = rounds.then(runUpkeepSteps)), intervalMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.race([rounds, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

async function runUpkeepSteps(): Promise<void> {
  for (const [step, run] of Object.entries(UPKEEP_STEPS))
    await run().catch((error: unknown) =>
      log.error(
        { source: "data folder", step, reason: describeErrorForLog(error) },
        "the hourly work on the data folder failed",
      ),
    );
}
