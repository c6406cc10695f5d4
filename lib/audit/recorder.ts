import { setTimeout as sleep } from "node:timers/promises";
import { recordAuditHeads } from "#lib/audit/heads.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";

const INTERVAL_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/** Records the heads of the audit log in this data folder each minute, and once more when it is stopped. */
export function startAuditHeadsRecorder(): { stop(): Promise<void> } {
  const stopped = new AbortController();
  let lastProblem = "";
  const record = async () => {
    const problem = await recordAuditHeads().then(
      ({ lost }) => (lost.length > 0 ? `entries are gone or changed in: ${lost.join(", ")}` : ""),
      describeErrorForLog,
    );
    if (problem && problem !== lastProblem)
      log.error({ source: "audit", reason: problem }, "the audit log is not as it was");
    lastProblem = problem;
  };
  const recording = (async () => {
    while (!stopped.signal.aborted) {
      await record();
      await sleep(INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
    await record();
  })();
  return {
    stop: async () => {
      stopped.abort();
      await Promise.race([recording, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
