import { setTimeout as sleep } from "node:timers/promises";
import { db } from "#lib/database/client.ts";
import { reasonOf } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { queueMails } from "#lib/notifications/mails.ts";
import { MOST_AT_ONCE, spread } from "./dispatch.ts";
import { onUntold } from "#lib/outbox/wake.ts";

/** What is written within this time of a first fact is told with it. Much at once costs little more than one. */
const GATHER_MS = { quiet: 20, busy: 100 };
/** Told in one round, from which on the next one waits for more. */
const MANY = 5;
/** How often is looked for what nobody woke us for: mails that are due, and facts of a process that ended. */
const LOOK_MS = 1000;
const LONGEST_WAIT_MS = 2000;
/** How long `stop` waits for what is under way. What doesn't end in time is undone, and told by the next teller. */
const STOP_MS = 10_000;

type Teller = { stop(): Promise<void> };

/**
 * Tells in this process what any process has written, and queues mails that are due (docs/decisions/019). Facts of this
 * process are told within some 30 ms, or 110 ms while many come; those of another within a second, should it not do so
 * itself. While the database is away it tries again, in the end every two seconds.
 */
export function startTeller(): Teller {
  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  let rung = Promise.withResolvers<void>();
  const ring = () => rung.resolve();
  const looking = setInterval(ring, LOOK_MS).unref();
  onUntold(ring);
  let told = 0;
  const round = async () => {
    await rung.promise;
    if (!stopping) await sleep(told < MANY ? GATHER_MS.quiet : GATHER_MS.busy);
    // What is written from here on rings for another round.
    rung = Promise.withResolvers();
    // Another process may have told what rang here.
    told = Math.max(await tellWaiting(), Math.floor(told / 2));
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
 * @returns how many facts were tried
 * @throws what the database throws when it is away
 */
export async function tellWaiting(): Promise<number> {
  const [waiting] = await db.$queryRaw<{ facts: boolean; mails: boolean }[]>`
    select exists (select 1 from untold_facts where due_at <= now()) as facts,
      exists (select 1 from notifications where mail_due <= now()) as mails`;
  let tried = 0;
  if (waiting?.facts)
    for (let taken = MOST_AT_ONCE; taken === MOST_AT_ONCE; tried += taken)
      taken = await spread().catch(tellOneByOne);
  if (waiting?.mails) await queueMails();
  return tried;
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
