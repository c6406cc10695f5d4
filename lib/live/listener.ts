import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { connectClient } from "#lib/database/connections.ts";
import { env } from "#lib/env.ts";
import { log } from "#lib/observability/log.ts";
import { LIVE_CHANNEL, parseLiveBroadcast, type LiveBroadcast } from "#lib/jobs/broadcast.ts";

const PING_INTERVAL_MS = 20_000;
const RECONNECT_DELAY_MS = { first: 200, most: 2000 };

type LiveListener = {
  /** The connection is up; nothing is missed from this time on (milliseconds, database clock). */
  onOpened(at: number): void;
  /** The connection is lost: from now on, messages may be missed. */
  onLost(): void;
  heard(message: LiveBroadcast): void;
};

/**
 * Listens to the database on one connection of this process. Reconnects, for as long as it takes, when the connection
 * breaks or stops responding.
 * @returns a function that stops listening and closes the connection
 */
export function listenForLiveDatabaseMessages(listener: LiveListener): () => void {
  let stopped = false;
  let current: pg.Client | undefined;
  const listenUntilEnded = async (client: pg.Client, reset: () => void) => {
    const ended = waitForEnd(client);
    listener.onOpened(await startListening(client, listener));
    reset();
    await Promise.race([ended, pingUntilUnanswered(client)]);
    listener.onLost();
  };
  const reconnectUntilStopped = async () => {
    for (let wait = RECONNECT_DELAY_MS.first; !stopped; wait = Math.min(wait * 2, RECONNECT_DELAY_MS.most)) {
      try {
        current = await openConnection();
        // The caller may have stopped the listener while it was connecting.
        if (!stopped) await listenUntilEnded(current, () => (wait = RECONNECT_DELAY_MS.first));
      } catch {
        log.warn("live updates wait for the database");
      }
      await current?.end().catch(() => {});
      if (!stopped) await sleep(wait, undefined, { ref: false });
    }
  };
  void reconnectUntilStopped();
  return () => {
    stopped = true;
    void current?.end().catch(() => {});
  };
}

const openConnection = () =>
  connectClient(env().DATABASE_URL ?? "", {
    applicationName: "heed-live",
    keepsRestoresAway: true,
    connectTimeoutMs: 5000,
    queryTimeoutMs: 5000,
  });

function waitForEnd(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.on("error", () => resolve()).on("end", () => resolve()));
}

async function startListening(client: pg.Client, listener: LiveListener): Promise<number> {
  client.on("notification", ({ payload }) => {
    const message = parseLiveBroadcast(payload);
    if (message) listener.heard(message);
  });
  await client.query(`listen ${LIVE_CHANNEL}`);
  const { rows } = await client.query<{ at: number }>(
    "select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as at",
  );
  return rows[0]?.at ?? Date.now();
}

/** Detects a connection that broke silently. Returns when a ping gets no response. */
async function pingUntilUnanswered(client: pg.Client): Promise<void> {
  for (;;) {
    await sleep(PING_INTERVAL_MS, undefined, { ref: false });
    const isAnswered = await client.query("select 1").then(
      () => true,
      () => false,
    );
    if (!isAnswered) return;
  }
}
