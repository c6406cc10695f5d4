import { expect, test } from "vitest";
import { cutConnections } from "#e2e/faults/cut-connections.ts";
import { databaseKilled } from "#e2e/faults/database-away.ts";
import { databaseReadOnly } from "#e2e/faults/database-read-only.ts";
import { killed } from "#e2e/faults/service-killed.ts";
import { mail } from "#e2e/faults/mail.ts";
import { objectStorage } from "#e2e/faults/object-storage.ts";
import { stopped } from "#e2e/faults/service-stopped.ts";

/** A short part of `npm run faults` (docs/reliability.md), each with a service and a database of its own. */

test.each([
  ["a service that is killed loses nothing that it acknowledged", killed, 3],
  ["a transaction whose connection is cut leaves nothing behind", cutConnections, 8],
  ["an embedded database that is killed comes back", databaseKilled, 0],
  ["a read-only database is answered with 503 until it takes writes again", databaseReadOnly, 0],
  ["a service that is told to stop ends what it has begun", stopped, 0],
  ["mail waits for its server", mail, 0],
  ["an upload is refused as a whole while the object storage is away", objectStorage, 0],
] as const)(
  "%s",
  async (_, fault, kills) => {
    const { failures } = await fault.run({ kills, seed: 7, short: true, say: () => {} });
    expect(failures).toEqual([]);
  },
  600_000,
);
