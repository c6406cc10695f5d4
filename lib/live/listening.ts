import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { connectClient } from "#lib/database/connections.ts";
import { env } from "#lib/env.ts";
import { log } from "#lib/observability/log.ts";
import { CHANNEL, wireOf, type Wire } from "#lib/outbox/broadcast.ts";

const PING_MS = 20_000;
const AGAIN_MS = { first: 200, most: 2000 };

type Ears = {
  /** The connection stands; nothing is missed from this moment on (milliseconds, clock of the database). */
  opened(at: number): void;
  /** What happens from now on may be missed. */
  lost(): void;
  heard(wire: Wire): void;
};

/**
 * One connection of this process that listens to the database. It is opened anew, for as long as it takes, when
 * it breaks or no longer answers.
 * @returns a function that ends it
 */
export function listen(ears: Ears): () => void {
  let stopped = false;
  let current: pg.Client | undefined;
  const hear = async (client: pg.Client, reset: () => void) => {
    const ended = endOf(client);
    ears.opened(await open(client, ears));
    reset();
    await Promise.race([ended, ping(client)]);
    ears.lost();
  };
  const keep = async () => {
    for (let wait = AGAIN_MS.first; !stopped; wait = Math.min(wait * 2, AGAIN_MS.most)) {
      try {
        current = await connection();
        // It may have been told to end while it connected.
        if (!stopped) await hear(current, () => (wait = AGAIN_MS.first));
      } catch {
        log.warn("live updates wait for the database");
      }
      await current?.end().catch(() => {});
      if (!stopped) await sleep(wait, undefined, { ref: false });
    }
  };
  void keep();
  return () => {
    stopped = true;
    void current?.end().catch(() => {});
  };
}

const connection = () =>
  connectClient(env().DATABASE_URL ?? "", {
    applicationName: "heed-live",
    keepsRestoresAway: true,
    connectTimeoutMs: 5000,
    queryTimeoutMs: 5000,
  });

function endOf(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.on("error", () => resolve()).on("end", () => resolve()));
}

async function open(client: pg.Client, ears: Ears): Promise<number> {
  client.on("notification", ({ payload }) => {
    const wire = wireOf(payload);
    if (wire) ears.heard(wire);
  });
  await client.query(`listen ${CHANNEL}`);
  const { rows } = await client.query<{ at: number }>(
    "select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as at",
  );
  return rows[0]?.at ?? Date.now();
}

/** A connection that was cut without a word is noticed by asking. Ends when there is no answer. */
async function ping(client: pg.Client): Promise<void> {
  for (;;) {
    await sleep(PING_MS, undefined, { ref: false });
    const answered = await client.query("select 1").then(
      () => true,
      () => false,
    );
    if (!answered) return;
  }
}
