import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cutConnectionsUnderLoad } from "#e2e/faults/cut-connections.ts";
import { killDatabaseUnderLoad } from "#e2e/faults/database-away.ts";
import { makeDatabaseReadOnlyUnderLoad } from "#e2e/faults/database-read-only.ts";
import { Findings } from "#e2e/faults/fault.ts";
import { Ledger } from "#e2e/faults/load.ts";
import { MailServer } from "#e2e/faults/mail-server.ts";
import { failMailServer } from "#e2e/faults/mail.ts";
import { failObjectStorage, RelayedStorage } from "#e2e/faults/object-storage.ts";
import { killServiceRepeatedly } from "#e2e/faults/service-killed.ts";
import { stopServiceUnderLoad } from "#e2e/faults/service-stopped.ts";
import { Stage } from "#e2e/faults/stage.ts";

/**
 * A short part of `npm run faults` (docs/reliability.md). Faults after which the service goes on share one, with what
 * was sent to it.
 */

const SHORT = { kills: 3, seed: 7, short: true, say: () => {} };
const SETTINGS = { LOG_LEVEL: "warn" };

type Check<Options> = (stage: Stage, findings: Findings, options: Options) => Promise<unknown>;

async function expectNoFailure<Options>(
  check: Check<Options>,
  stage: Stage,
  options: Options,
): Promise<void> {
  const findings = new Findings(() => {});
  await check(stage, findings, options);
  expect(findings.failures).toEqual([]);
}

describe("with the embedded database", () => {
  const options = { ...SHORT, earlier: new Ledger() };
  let stage: Stage;
  beforeAll(async () => void (stage = await Stage.open({ settings: SETTINGS })));
  afterAll(() => stage.close());

  test(
    "an embedded database that is killed comes back",
    () => expectNoFailure(killDatabaseUnderLoad, stage, options),
    600_000,
  );

  test(
    "a service that is killed loses nothing that it acknowledged",
    () => expectNoFailure(killServiceRepeatedly, stage, options),
    600_000,
  );

  // The last one, since nothing starts the service again.
  test(
    "a service that is told to stop ends what it has begun",
    () => expectNoFailure(stopServiceUnderLoad, stage, options),
    600_000,
  );
});

describe("with a database server of its own", () => {
  const options = { ...SHORT, earlier: new Ledger() };
  let stage: Stage;
  beforeAll(async () => void (stage = await Stage.open({ external: true, settings: SETTINGS })));
  afterAll(() => stage.close());

  test(
    "a read-only database is answered with 503 until it takes writes again",
    () => expectNoFailure(makeDatabaseReadOnlyUnderLoad, stage, options),
    600_000,
  );

  test(
    "a transaction whose connection is cut leaves nothing behind",
    () => expectNoFailure(cutConnectionsUnderLoad, stage, { ...options, kills: 8 }),
    600_000,
  );
});

describe("with a mail server and an object storage", () => {
  let server: MailServer;
  let storage: RelayedStorage;
  let stage: Stage;
  beforeAll(async () => {
    server = await MailServer.start();
    storage = await RelayedStorage.start();
    stage = await Stage.open({ settings: { ...SETTINGS, SMTP_URL: server.url, S3_URL: storage.url } });
  });
  afterAll(async () => {
    await stage.close();
    await storage.close();
    await server.close();
  });

  test(
    "mail waits for its server",
    () => expectNoFailure(failMailServer, stage, { server, short: true }),
    600_000,
  );

  test(
    "an upload is refused as a whole while the object storage is away",
    () => expectNoFailure(failObjectStorage, stage, { storage, short: true }),
    600_000,
  );
});
