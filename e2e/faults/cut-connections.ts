import { setTimeout as sleep } from "node:timers/promises";
import { createMulberry32Generator } from "#lib/demo/random.ts";
import { Findings, formatMilliseconds, type Fault, type FaultOptions } from "./fault.ts";
import { checkEverything } from "./integrity-checks.ts";
import { checkRefusals } from "./database-away.ts";
import { Ledger, startLoad } from "./load.ts";
import { MAX_FAULT_RESPONSE_MS, Stage } from "./stage.ts";

/** FA3: cuts connections in the middle of transactions for ten seconds, or as many times as `kills` says. */
export const cutConnections: Fault = {
  name: "cut-connections",
  kills: true,
  title: "Connections cut in mid-transaction (pg_terminate_backend)",
  run: async (options) => {
    const findings = new Findings(options.say);
    const stage = await Stage.open({ settings: { LOG_LEVEL: "warn" } });
    try {
      await cutConnectionsUnderLoad(stage, findings, options);
    } finally {
      await stage.close();
    }
    return findings;
  },
};

export async function cutConnectionsUnderLoad(
  stage: Stage,
  findings: Findings,
  { seed, kills, short, earlier }: FaultOptions,
): Promise<void> {
  const wanted = kills * 2;
  const draw = createMulberry32Generator(seed);
  const load = startLoad(stage, { seed, writers: 12, ledger: new Ledger(earlier) });
  let cut = 0;
  for (const end = Date.now() + 60_000; cut < wanted && Date.now() < end; await sleep(draw() * 60))
    cut += await stage.count(CUT);
  await sleep(500);
  await load.stop();
  const { ledger } = load;
  const { acknowledged, lost, half } = await checkEverything(stage, findings, { ledger });
  findings.expect(cut >= wanted, `only ${cut} transactions could be cut`);
  findings.figure("Transactions cut", cut);
  findings.figure("Answers", ledger.statuses());
  findings.figure("Reports acknowledged / lost / half there", `${acknowledged} / ${lost} / ${half}`);
  findings.figure("Longest response", formatMilliseconds(ledger.longestMs));
  findings.expectWithin(ledger.longestMs, MAX_FAULT_RESPONSE_MS, { what: "a response", short });
  findings.equal("broken connections", ledger.broken, 0);
  checkRefusals(
    findings,
    ledger.responses.filter(({ status }) => status >= 500),
  );
}

/** Cuts the connections whose open transaction has written something. */
const CUT = `select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and usename = current_user
  and backend_xid is not null`;
