import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Ledger } from "#e2e/faults/ledger.ts";
import { performOn, type Scenario } from "#e2e/faults/scenario.ts";
import { cutConnections } from "#e2e/faults/scenarios/cut-connections.ts";
import { databaseKilled } from "#e2e/faults/scenarios/database-killed.ts";
import { databaseReadOnly } from "#e2e/faults/scenarios/database-read-only.ts";
import { killed } from "#e2e/faults/scenarios/killed.ts";
import { mail } from "#e2e/faults/scenarios/mail.ts";
import { objectStorage } from "#e2e/faults/scenarios/object-storage.ts";
import { stopped } from "#e2e/faults/scenarios/stopped.ts";
import { Stage, type StageOptions } from "#e2e/faults/stage.ts";

/** A short part of `npm run faults` (docs/reliability.md). Faults share a stage, with what was sent to it. */

const STAGES: [string, StageOptions["peers"], Scenario[]][] = [
  ["the embedded database", [], [databaseKilled, killed, stopped]],
  ["a database server of its own", ["database"], [databaseReadOnly, cutConnections]],
  ["a mail server and an object storage", ["mail", "storage"], [mail, objectStorage]],
];

describe.each(STAGES)("with %s", (_, peers, scenarios) => {
  const ledger = new Ledger(() => {});
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.build({ peers });
    await stage.open();
  });
  afterAll(() => stage.close());

  test.each(scenarios)(
    "$title",
    async (scenario) => {
      const options = { kills: scenario === cutConnections ? 8 : 3, seed: 7, short: true };
      expect(await performOn(scenario, { stage, ledger }, options)).toEqual([]);
    },
    600_000,
  );
});
