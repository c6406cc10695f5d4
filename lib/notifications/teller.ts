import { setTimeout as sleep } from "node:timers/promises";
import { db } from "#lib/db.ts";
import { reasonOf } from "#lib/files/failures.ts";
import { log } from "#lib/log.ts";
import { queueMails } from "./mails.ts";
import { MOST_AT_ONCE, spread } from "./spread.ts";
import { onUntold } from "./wake.ts";

/** What is written within this time of a first fact is told with it. */
const GATHER_MS = 20;
/** How often is looked for what nobody woke us for: mails that are due, and facts of a process that ended. */
const LOOK_MS = 1000;
const LONGEST_WAIT_MS = 10_000;
/** How long `stop` waits for what is under way. What doesn't end in time is undone, and told by the next teller. */
const STOP_MS = 10_000;

type Teller = { stop(): Promise<void> };

/**
 * Tells in this process what any process has written, and queues mails that are due (docs/decisions/019). Facts of this
 * process are told within some 30 ms, those of another within a second, should it not do so itself. While the database
 * is away it tries again, in the end every ten seconds.
 */
export function startTeller(): Teller {
  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  let rung = Promise.withResolvers<void>();
  const ring = () => rung.resolve();
  const looking = setInterval(ring, LOOK_MS).unref();
  onUntold(ring);
  const round = async () => {
    await rung.promise;
    if (!stopping) await sleep(GATHER_MS);
    // What is written from here on rings for another round.
    rung = Promise.withResolvers();
    await tellWaiting();
  };
  const tellAlways = async () => {
    for (let wait = LOOK_MS; !stopping; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        while (!stopping) await round().then(() => (wait = LOOK_MS));
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, "what happened can't be told yet");
        await Promise.race([stopped.promise, sleep(wait, undefined, { ref: false })]);
      }
    }
  };
  const telling = tellAlways();
  ring();
  return {
    stop: async () => {
      stopping = true;
      clearInterval(looking);
      onUntold(undefined);
      ring();
      stopped.resolve();
      await Promise.race([telling, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * Tells every fact that waits, and queues every mail that is due. A fact that can't be told doesn't hold up the others:
 * it is tried again later, each time later than before.
 * @throws what the database throws when it is away
 */
export async function tellWaiting(): Promise<void> {
  const [waiting] = await db.$queryRaw<{ facts: boolean; mails: boolean }[]>`
    select exists (select 1 from untold_facts where due_at <= now()) as facts,
      exists (select 1 from notifications where mail_due <= now()) as mails`;
  if (waiting?.facts)
    for (let taken = MOST_AT_ONCE; taken === MOST_AT_ONCE;) taken = await spread().catch(tellOneByOne);
  if (waiting?.mails) await queueMails();
}

/** @returns how many facts were tried */
async function tellOneByOne(): Promise<number> {
  const waiting = await db.$queryRaw<{ id: bigint }[]>`
    select id from untold_facts where due_at <= now() order by id limit ${MOST_AT_ONCE}::bigint`;
  for (const { id } of waiting) await spread(id).catch((error: unknown) => postpone(id, error));
  return waiting.length;
}

/** By a second at first, and by an hour in the end. */
async function postpone(id: bigint, error: unknown): Promise<void> {
  const [fact] = await db.$queryRaw<{ kind: string; failures: number }[]>`
    update untold_facts set failures = failures + 1,
      due_at = now() + make_interval(secs => least(3600, power(2, least(failures, 20))))
    where id = ${id}::bigint returning kind, failures`;
  log.warn({ ...fact, reason: reasonOf(error) }, "a fact can't be told yet");
}
