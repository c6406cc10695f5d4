import { buildIfOutdated } from "#lib/build/prepare.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { formatMs } from "./ledger.ts";
import { perform, type Scenario } from "./scenario.ts";
import { clock } from "./scenarios/clock.ts";
import { cutConnections } from "./scenarios/cut-connections.ts";
import { databaseSilent, databaseStopped } from "./scenarios/database-away.ts";
import { databaseKilled } from "./scenarios/database-killed.ts";
import { databaseLate } from "./scenarios/database-late.ts";
import { databaseReadOnly } from "./scenarios/database-read-only.ts";
import { failover, failoverAsynchronous, failoverBehindHaproxy } from "./scenarios/failover.ts";
import { databaseFull, filesFull, outboxFull, temporaryFull } from "./scenarios/full-disk.ts";
import { killed } from "./scenarios/killed.ts";
import { mail } from "./scenarios/mail.ts";
import { objectStorage } from "./scenarios/object-storage.ts";
import { poolerOfSessions, poolerOfTransactions } from "./scenarios/pooler.ts";
import { proxies } from "./scenarios/proxies.ts";
import { badSettings, killedMigrations } from "./scenarios/refused-starts.ts";
import { stopped, stoppedAtStart, stoppedTwice } from "./scenarios/stopped.ts";
import { unexpected } from "./scenarios/unexpected.ts";

/** `npm run faults`: causes faults with real processes and checks their effects (docs/reliability.md). */

const SCENARIOS: Scenario[] = [
  [databaseLate, databaseStopped, databaseSilent, databaseKilled, databaseReadOnly],
  [failover, failoverAsynchronous, failoverBehindHaproxy, poolerOfSessions, poolerOfTransactions, proxies],
  [cutConnections, killed, filesFull, temporaryFull, outboxFull, databaseFull, mail, objectStorage, clock],
  [stopped, stoppedTwice, stoppedAtStart, badSettings, killedMigrations, unexpected],
].flat(2);

const NAMES = SCENARIOS.map(({ name }) => name);

const given = parseArgumentsOrExit(
  {
    only: { type: "string", multiple: true, default: NAMES },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
  `npm run faults [-- OPTIONS]
Brings faults about with real processes and looks at what comes of them.
  --only NAME  that fault alone; may be given several times: ${NAMES.join(", ")}
  --kills N    how often the service is killed; 50 when not given
  --seed N     what chance is made of; printed, so that a run can be repeated`,
);

// Ensures that the processes of a stage end with this one.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

process.exitCode = await runAll();

async function runAll(): Promise<number> {
  const options = { kills: Number(given.kills), seed: Number(given.seed) };
  const unknown = given.only.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0 || !Object.values(options).every(Number.isInteger)) {
    console.error(
      `Unknown: ${unknown.join(", ")}. Faults: ${NAMES.join(", ")}. --kills and --seed are whole numbers.`,
    );
    return 2;
  }
  await buildIfOutdated(console.log);
  console.log(`Seed ${options.seed}, ${options.kills} kills.`);
  const results = { passed: 0, failed: 0, skipped: 0 };
  for (const scenario of SCENARIOS.filter(({ name }) => given.only.includes(name))) {
    console.log(`\n── ${scenario.title} (${scenario.name})`);
    const lack = scenario.lacks?.();
    const began = performance.now();
    const failures = lack
      ? []
      : await perform(scenario, options, console.log).catch((error: Error) => [error]);
    for (const failure of failures) if (failure instanceof Error) console.log(failure.stack);
    const result = lack ? "skipped" : failures.length > 0 ? "failed" : "passed";
    results[result] += 1;
    console.log(`  ${result}${lack ? `: ${lack}` : ""} (${formatMs(performance.now() - began)})`);
  }
  console.log(
    `\n${Object.entries(results)
      .map(([result, count]) => `${count} ${result}`)
      .join(", ")}`,
  );
  return results.failed === 0 ? 0 : 1;
}
