import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { MailServer } from "#e2e/support/mail-server.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import type { JobWorker } from "#lib/worker/worker.ts";

/** The queue of mails while the mail server refuses everything or one recipient, and while thousands of mails wait. */

const server = await MailServer.start();
process.env.SMTP_URL = server.url;

// Loaded after that, since they read the environment.
const { sql } = await import("#lib/database/client.ts");
const { enqueueJob } = await import("#lib/jobs/enqueue.ts");
const { startWorker } = await import("#lib/worker/worker.ts");
const { loadSystemHealth } = await import("#lib/admin/health.ts");
const { log } = await import("#lib/observability/log.ts");
const { mailQueueBackoff } = await import("#lib/jobs/outcomes.ts");
const { WebhookReceiverError } = await import("#lib/webhooks/deliveries.ts");

const warned = vi.spyOn(log, "warn").mockImplementation(() => {});
let worker: JobWorker | undefined;

beforeEach(async () => {
  await sql.$executeRaw`truncate graphile_worker._private_jobs, users, job_queue_failures cascade`;
  await sql.$executeRaw`
    insert into users (email, name, password_hash, email_verified_at)
    select 'person' || n || '@example.org', 'Person', 'x', now() from generate_series(1, 300) n`;
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  server.replies.clear();
  server.taken.length = 0;
  vi.clearAllMocks();
});
afterAll(() => server.close());

/** As many notices as there are people, due for a while. */
const queueNotices = (dueSeconds = 0) => sql.$executeRaw`
  select graphile_worker.add_job('mail.digest', json_build_object('userId', id, 'notificationIds', array[]::uuid[])),
    graphile_worker.add_job('mail.notice', json_build_object('userId', id, 'kind', 'passwordChanged'),
      run_at => now() - make_interval(secs => ${dueSeconds}::int))
  from users`;

const mailHealth = async () => (await loadSystemHealth([])).mail;
const started = async () => {
  worker = await startWorker(process.env.DATABASE_URL ?? "");
};

test("a password reset that is asked for while hundreds of notices wait leaves among the first", async () => {
  await queueNotices();
  await sql.$executeRaw`update graphile_worker._private_jobs set priority = 0`;
  await enqueueJob(sql, "mail.reset", { email: "person7@example.org" });
  await started();
  await waitUntil("some mails have left", () => server.taken.length >= 5, 20_000);
  // Two leave at a time, and a reset takes longer to write. This person's own notice would be the seventh.
  expect(server.taken.slice(0, 5).map(({ to }) => to)).toContain("person7@example.org");
});

test("a server that refuses every mail is tried a few times, logged in one line, and shown as failing", async () => {
  await server.behave("unwilling");
  await queueNotices();
  const began = Date.now();
  await started();
  await waitUntil("three tries have failed", async () => (await mailHealth()).failedTries >= 3, 20_000);
  const thirdFailedAt = Date.now();
  await sleep(3000);
  // They were tried often before: still none is given up while everybody is refused.
  await sql.$executeRaw`update graphile_worker._private_jobs set attempts = 10 where attempts > 0 and locked_at is null`;
  const { status, failedTries, failingSince, waiting, undeliverable } = await mailHealth();
  expect(undeliverable).toBe(0);
  expect(status).toBe("failed");
  // Two at once, and the pause after the third lasts five seconds; the next ones last 10 and 20.
  expect(failedTries).toBeLessThanOrEqual(Date.now() - thirdFailedAt < 5000 ? 4 : 8);
  expect(new Date(failingSince ?? 0).getTime()).toBeGreaterThanOrEqual(began);
  expect(waiting).toBeGreaterThan(290);
  expect((await loadSystemHealth([])).status).toBe("failed");
  const lines = warned.mock.calls.map(([fields]) => fields as unknown as { queue?: string });
  expect(lines.filter(({ queue }) => queue === "mail")).toHaveLength(1);
  await waitUntil(
    "more tries have failed",
    async () => (await mailHealth()).failedTries > failedTries,
    60_000,
  );
  expect((await mailHealth()).undeliverable).toBe(0);
  await server.behave("takes");
  await waitUntil("the first mail was taken", async () => (await mailHealth()).failedTries === 0, 60_000);
  expect(await mailHealth()).toMatchObject({ status: "ok", failingSince: null });
}, 180_000);

const refused = "person7@example.org";
/** Some notices to a recipient, due now. */
const queueNoticesTo = (email: string, count: number) => sql.$executeRaw`
  select graphile_worker.add_job('mail.notice', json_build_object('userId', id, 'kind', 'passwordChanged'))
  from users, generate_series(1, ${count}::int) where email = ${email}`;
/** All notices of the queue, as if they had been tried so often and were due again. */
const retryNotices = (attempts: number) => sql.$executeRaw`
  update graphile_worker._private_jobs j set attempts = ${attempts}::int, run_at = now()
  from graphile_worker._private_tasks t
  where t.id = j.task_id and t.identifier = 'mail.notice' and j.locked_at is null`;
/** Puts off the next try of all notices by an hour, once none of them is under way. */
const postponeNotices = (count: number) =>
  waitUntil("all are put off", async () => {
    const postponed = await sql.$executeRaw`
      update graphile_worker._private_jobs j set run_at = now() + interval '1 hour'
      from graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = 'mail.notice' and j.locked_at is null`;
    return postponed === count;
  });
const triesOfAll = () =>
  sql.$queryRaw<{ attempts: number; error: string | null }[]>`
    select attempts::int, last_error as error from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'mail.notice'
    where locked_at is null order by attempts`;

test("one refused recipient delays nobody else, and ends as undeliverable mails, with mail still ok", async () => {
  server.replies.set(refused, "550 nobody of that name");
  await queueNoticesTo(refused, 5);
  await started();
  await waitUntil(
    "each was tried",
    async () => (await triesOfAll()).filter((one) => one.attempts > 0).length === 5,
  );
  expect(mailQueueBackoff.remainingMs(), "a pause of the queue").toBe(0);
  expect(await mailHealth()).toMatchObject({ status: "ok", failedTries: 1, undeliverable: 0, waiting: 5 });
  // Another refusal would count again after the success.
  await postponeNotices(5);
  await enqueueJob(sql, "mail.reset", { email: "person8@example.org" });
  await waitUntil("the other mail has left", () => server.taken.length === 1);
  await waitUntil("its success is counted", async () => (await mailHealth()).failedTries === 0);
  await retryNotices(5);
  await waitUntil("all are given up", async () => (await mailHealth()).undeliverable === 5, 20_000);
  expect(await mailHealth()).toMatchObject({ status: "ok", failedTries: 1, failed: 0, waiting: 0 });
  expect((await loadSystemHealth([])).jobs).toMatchObject({ failed: 0 });
  expect(new Set((await triesOfAll()).map(({ error }) => error))).toEqual(
    new Set(["mail.notice: undeliverable EENVELOPE 550"]),
  );
  expect(JSON.stringify(warned.mock.calls)).not.toContain("person7");
}, 60_000);

test("a recipient who is to be tried later waits for all tries, and makes mail fail after ten minutes", async () => {
  server.replies.set(refused, "451 try again later");
  await queueNoticesTo(refused, 1);
  await sql.$executeRaw`update graphile_worker._private_jobs set created_at = now() - interval '595 seconds'`;
  await retryNotices(9);
  await started();
  await waitUntil("it was tried", async () => (await triesOfAll())[0]?.attempts === 10);
  expect(await mailHealth()).toMatchObject({ failedTries: 1, undeliverable: 0, waiting: 1 });
  await sql.$executeRaw`update graphile_worker._private_jobs set created_at = now() - interval '540 seconds'`;
  expect(await mailHealth()).toMatchObject({ status: "ok" });
  await sql.$executeRaw`update graphile_worker._private_jobs set created_at = now() - interval '605 seconds'`;
  const { status, lag } = await mailHealth();
  expect(status).toBe("failed");
  expect(lag).toBeGreaterThanOrEqual(605);
});

test("a delivery that its receiver refused makes nothing fail until its next try is due", async () => {
  const { name } = new WebhookReceiverError("refused");
  await sql.$executeRaw`
    select graphile_worker.add_job('webhook.deliver', '{"deliveryId": "00000000-0000-4000-8000-000000000000"}'::json)`;
  await sql.$executeRaw`
    update graphile_worker._private_jobs set created_at = now() - interval '1 hour', attempts = 3,
      run_at = now() + interval '1 hour', last_error = ${`webhook.deliver: ${name}`}`;
  const webhooks = async () =>
    (await loadSystemHealth([])).jobs.queues.find(({ queue }) => queue === "webhooks");
  expect(await webhooks()).toMatchObject({ status: "ok", lag: 0, waiting: 1 });
  await sql.$executeRaw`update graphile_worker._private_jobs set run_at = now() - interval '605 seconds'`;
  expect(await webhooks()).toMatchObject({ status: "failed" });
  await sql.$executeRaw`
    update graphile_worker._private_jobs set run_at = now() + interval '1 hour', last_error = 'webhook.deliver: P2024'`;
  expect(await webhooks()).toMatchObject({ status: "failed" });
});

test("mail is failing while the oldest that nobody has come to is due for more than ten minutes", async () => {
  await queueNotices(540);
  expect(await mailHealth()).toMatchObject({ status: "ok", failedTries: 0 });
  await sql.$executeRaw`update graphile_worker._private_jobs set run_at = run_at - interval '65 seconds'`;
  expect(await mailHealth()).toMatchObject({ status: "failed", failedTries: 0 });
  const { jobs } = await loadSystemHealth([]);
  expect(jobs.queues.map(({ queue, status }) => [queue, status])).toEqual([
    ["mail", "failed"],
    ["webhooks", "ok"],
    ["maintenance", "ok"],
  ]);
});
