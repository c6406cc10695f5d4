import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "#e2e/support/wait.ts";
import { Findings, computeQuantileOfUnsorted, formatMilliseconds, type Fault } from "./fault.ts";
import { Ledger, sendReport } from "./load.ts";
import { MailServer, type MailMode } from "./mail-server.ts";
import { Stage, type Person } from "./stage.ts";

/**
 * Maximum tries of a paused queue within the ten seconds of a fault; without the pause, each of six mails is tried at
 * least twice.
 */
const MOST_TRIES = 10;
/** Two refused recipients don't pause the queue: each of the six mails has its own delays, and at most three tries. */
const MOST_TRIES_OF_RECIPIENTS = 18;

const MODES: MailMode[] = ["refusing", "hanging", "slow", "busy", "unwilling"];

/** FA6, mail: whatever the mail server does, requests succeed, and mail arrives once the server accepts it again. */
export const mail: Fault = {
  name: "mail",
  title: "Mail server refusing, hanging, slow, responding with 4xx and 5xx",
  run: async ({ say, short }) => {
    const findings = new Findings(say);
    const server = await MailServer.start();
    const stage = await Stage.open({ settings: { SMTP_URL: server.url, LOG_LEVEL: "warn" } });
    try {
      await failMailServer(stage, findings, { server, short });
    } finally {
      await stage.close();
      await server.close();
    }
    return findings;
  },
};

/** @param stage a stage that sends its mail to the server */
export async function failMailServer(
  stage: Stage,
  findings: Findings,
  { server, short }: { server: MailServer; short: boolean | undefined },
): Promise<void> {
  const normal = computeQuantileOfUnsorted(await timesOfForgetting(stage, addressOf(stage.cast.ada)), 0.5);
  findings.figure("“Forgot password” with a mail server, median", formatMilliseconds(normal));
  await arrived(server, stage.cast.ada, 5);
  for (const mode of short ? MODES.slice(0, 1) : MODES)
    await suffer(stage, findings, { server, mode, normal, short });
}

const addressOf = ({ name }: Person) => `${name.toLowerCase().replaceAll(" ", ".")}@example.org`;

const arrived = (server: MailServer, person: Person, count: number) =>
  waitUntil(`${count} mails to ${person.name}`, () => mailsTo(server, person).length >= count);

const mailsTo = (server: MailServer, person: Person) =>
  server.taken.filter(({ to }) => to === addressOf(person));

/** Returns the duration of five requests, each of which queues a mail. */
async function timesOfForgetting(stage: Stage, email: string): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const began = performance.now();
    const { status } = await stage.ask("POST", "/api/auth/forgot-password", { body: { email } });
    times.push(status === 200 ? performance.now() - began : Infinity);
  }
  return times;
}

type Suffering = { server: MailServer; mode: MailMode; normal: number; short: boolean | undefined };

async function suffer(stage: Stage, findings: Findings, given: Suffering): Promise<void> {
  const { server, mode, normal, short } = given;
  const { maya, omar } = stage.cast;
  await server.behave(mode);
  const before = { forgotten: mailsTo(server, maya).length, news: mailsTo(server, omar).length };
  const times = await timesOfForgetting(stage, addressOf(maya));
  const ledger = new Ledger();
  await sendReport(stage, { ledger, files: false });
  findings.equal(`${mode}: status of a report`, ledger.responses[0]?.status, 201);
  // Long enough for the news to become due, and for a second try.
  await sleep(10_000);
  // A hanging server is waited for. An unreachable one is tried three times before the queue pauses, and not many more.
  const expected = { slow: 0, hanging: 2 }[mode as string] ?? 3;
  const triedEnough = async () => (await waitingMails(stage)).tried >= expected;
  if (short) await waitUntil("the tries", triedEnough).catch(() => {});
  const failed = await waitingMails(stage);
  findings.expect(failed.tried >= expected, `${mode}: only ${failed.tried} of the mails were tried and wait`);
  const mostTries = mode === "busy" || mode === "unwilling" ? MOST_TRIES_OF_RECIPIENTS : MOST_TRIES;
  findings.expect(failed.tries <= mostTries, `${mode}: ${failed.tries} tries within ten seconds`);
  await server.behave("takes");
  const back = Date.now();
  // A second mail of one kind about the same event waits a minute for more of its kind.
  await waitUntil("every mail", async () => (await waitingMails(stage)).all === 0, 150_000);
  const took = Date.now() - back;
  const forgotten = mailsTo(server, maya).length - before.forgotten;
  const news = mailsTo(server, omar).length - before.news;
  findings.equal(`${mode}: mails that arrived, for five resets and a report`, [forgotten, news], [5, 1]);
  findings.expectWithin(computeQuantileOfUnsorted(times, 0.5), normal + 250, {
    what: `${mode}: a request`,
    short,
  });
  const tried = mode === "slow" ? "" : `, ${failed.tries} tries in vain`;
  findings.figure(
    `${mode}: requests (median), all mail there after`,
    `${formatMilliseconds(computeQuantileOfUnsorted(times, 0.5))}, ${formatMilliseconds(took)}${tried}`,
  );
}

type Waiting = { all: number; tried: number; tries: number };

async function waitingMails(stage: Stage): Promise<Waiting> {
  const [row] = await stage.sql<Waiting>(
    `select count(*)::int + (select count(*)::int from notifications where mail_due is not null) as "all", count(*) filter (where attempts > 0)::int as tried,
       coalesce(sum(attempts), 0)::int as tries from graphile_worker.jobs where task_identifier like 'mail.%'`,
  );
  return row ?? { all: 0, tried: 0, tries: 0 };
}
