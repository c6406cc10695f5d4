import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "#e2e/support/wait.ts";
import { computeQuantile, formatMs } from "../ledger.ts";
import { sendReport } from "../load.ts";
import { expectWithin, type Scenario, type Scene } from "../scenario.ts";
import type { Person } from "../stage.ts";

/**
 * Of six mails, how many were tried at least ten seconds later, and the most tries in vain. A hanging server is waited
 * for; an unreachable one is tried three times before the queue pauses. Two refused recipients don't pause it: each
 * mail has its own delays.
 */
const TRIES = {
  refuses: [3, 10],
  hangs: [2, 10],
  slow: [0, 10],
  busy: [3, 18],
  unwilling: [3, 18],
} as const;

type Mode = keyof typeof TRIES;

/** Whatever the mail server does, requests succeed, and mail arrives once the server accepts it again. */
export const mail: Scenario = {
  name: "mail",
  title: "Mail server refusing, hanging, slow, responding with 4xx and 5xx",
  stage: { peers: ["mail"] },
  async disturb(scene) {
    const { stage, ledger, short } = scene;
    const normalMs = await forgetPasswords(scene, stage.cast.ada);
    ledger.figure("“Forgot password” with a mail server, median", formatMs(normalMs));
    await waitUntil("five mails", () => countMails(scene, stage.cast.ada) >= 5);
    const modes = Object.keys(TRIES) as Mode[];
    for (const mode of short ? modes.slice(0, 1) : modes) await suffer(scene, mode, normalMs);
  },
};

const countMails = ({ stage }: Scene, { email }: Person) =>
  stage.mail?.server.taken.filter(({ to }) => to === email).length ?? 0;

/** Sends five requests, each of which queues a mail. @returns their median duration */
async function forgetPasswords({ stage }: Scene, { email }: Person): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const began = performance.now();
    const { status } = await stage.ask("POST", "/api/auth/forgot-password", { body: { email } });
    times.push(status === 200 ? performance.now() - began : Infinity);
  }
  return computeQuantile(times, 0.5);
}

async function suffer(scene: Scene, mode: Mode, normalMs: number): Promise<void> {
  const { stage, ledger, short } = scene;
  const { maya, omar } = stage.cast;
  const [leastTried, mostTries] = TRIES[mode];
  if (mode === "busy" || mode === "unwilling") stage.mail?.server.behave(mode);
  else await stage.mail?.relay.behave(mode);
  const before = [maya, omar].map((person) => countMails(scene, person));
  const medianMs = await forgetPasswords(scene, maya);
  await sendReport(scene, { files: false });
  ledger.equal(`${mode}: status of a report`, ledger.responses.at(-1)?.status, 201);
  // Long enough for the news to become due, and for a second try.
  await sleep(10_000);
  const isTried = async () => (await countWaiting(scene)).tried >= leastTried;
  if (short) await waitUntil("the tries", isTried).catch(() => {});
  const { tried, tries } = await countWaiting(scene);
  ledger.expect(tried >= leastTried, `${mode}: only ${tried} of the mails were tried and wait`);
  ledger.expect(tries <= mostTries, `${mode}: ${tries} tries within ten seconds`);
  stage.mail?.server.behave("takes");
  await stage.mail?.relay.behave("passes");
  const back = Date.now();
  // A second mail of one kind about the same event waits a minute for more of its kind.
  await waitUntil("every mail", async () => (await countWaiting(scene)).all === 0, 150_000);
  const arrived = [maya, omar].map((person, index) => countMails(scene, person) - (before[index] ?? 0));
  ledger.equal(`${mode}: mails that arrived, for five resets and a report`, arrived, [5, 1]);
  expectWithin(scene, medianMs, { limitMs: normalMs + 250, what: `${mode}: a request` });
  const times = [medianMs, Date.now() - back].map(formatMs).join(", ");
  ledger.figure(`${mode}: requests (median), all mail there after`, `${times}, ${tries} tries in vain`);
}

async function countWaiting({ stage }: Scene) {
  const [row] = await stage.sql<{ all: number; tried: number; tries: number }>(
    `select count(*)::int + (select count(*)::int from notifications where mail_due is not null) as "all",
       count(*) filter (where attempts > 0)::int as tried, coalesce(sum(attempts), 0)::int as tries
     from graphile_worker.jobs where task_identifier like 'mail.%'`,
  );
  return row ?? { all: 0, tried: 0, tries: 0 };
}
