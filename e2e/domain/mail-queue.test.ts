import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { MailServer } from "#e2e/faults/mail-server.ts";
import { until } from "#e2e/support/wait.ts";
import type { Worker } from "#lib/jobs/worker.ts";

/** The queue of mails while the mail server refuses everything, and while thousands of mails wait. */

const server = await MailServer.start();
process.env.SMTP_URL = server.url;

// Loaded after that, since they read the environment.
const { db } = await import("#lib/db.ts");
const { enqueue } = await import("#lib/jobs/enqueue.ts");
const { startWorker } = await import("#lib/jobs/worker.ts");
const { readHealth } = await import("#lib/admin/health.ts");
const { log } = await import("#lib/log.ts");

const warned = vi.spyOn(log, "warn").mockImplementation(() => {});
let worker: Worker | undefined;

beforeEach(async () => {
  await db.$executeRaw`truncate graphile_worker._private_jobs, users, job_queue_failures cascade`;
  await db.$executeRaw`
    insert into users (email, name, password_hash, email_verified_at)
    select 'person' || n || '@example.org', 'Person', 'x', now() from generate_series(1, 300) n`;
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  vi.clearAllMocks();
});
afterAll(() => server.close());

/** As many notices as there are people, due for a while. */
const queueNotices = (dueSeconds = 0) => db.$executeRaw`
  select graphile_worker.add_job('mail.digest', json_build_object('userId', id, 'notificationIds', array[]::uuid[])),
    graphile_worker.add_job('mail.notice', json_build_object('userId', id, 'kind', 'passwordChanged'),
      run_at => now() - make_interval(secs => ${dueSeconds}::int))
  from users`;

const mailHealth = async () => (await readHealth()).mail;
const started = async () => {
  worker = await startWorker(process.env.DATABASE_URL ?? "");
};

test("a password reset that is asked for while hundreds of notices wait leaves among the first", async () => {
  await queueNotices();
  await db.$executeRaw`update graphile_worker._private_jobs set priority = 0`;
  await enqueue(db, "mail.reset", { email: "person7@example.org" });
  await started();
  await until("some mails have left", () => server.taken.length >= 4, 20_000);
  expect(server.taken.slice(0, 3).map(({ to }) => to)).toContain("person7@example.org");
});

test("a server that refuses every mail is asked a few times, told of in one line, and shown as failing", async () => {
  await server.behave("unwilling");
  await queueNotices();
  await started();
  await until("three tries have failed", async () => (await mailHealth()).failedTries >= 3, 20_000);
  await sleep(3000);
  const { status, failedTries, failingSince, waiting } = await mailHealth();
  expect(status).toBe("failed");
  // Two at once, and the pause after the third lasts five seconds.
  expect(failedTries).toBeLessThanOrEqual(4);
  expect(Date.now() - new Date(failingSince ?? 0).getTime()).toBeLessThan(30_000);
  expect(waiting).toBeGreaterThan(290);
  expect((await readHealth()).status).toBe("failed");
  const lines = warned.mock.calls.map(([fields]) => fields as unknown as { queue?: string });
  expect(lines.filter(({ queue }) => queue === "mail")).toHaveLength(1);
  await server.behave("takes");
  await until("the first mail was taken", async () => (await mailHealth()).failedTries === 0, 30_000);
  expect(await mailHealth()).toMatchObject({ status: "ok", failingSince: null });
}, 90_000);

test("mail is failing while the oldest that nobody has come to is due for more than ten minutes", async () => {
  await queueNotices(599);
  expect(await mailHealth()).toMatchObject({ status: "ok", failedTries: 0 });
  await db.$executeRaw`update graphile_worker._private_jobs set run_at = run_at - interval '5 seconds'`;
  expect(await mailHealth()).toMatchObject({ status: "failed", failedTries: 0 });
  const { jobs } = await readHealth();
  expect(jobs.queues.map(({ queue, status }) => [queue, status])).toEqual([
    ["mail", "failed"],
    ["webhooks", "ok"],
    ["maintenance", "ok"],
  ]);
});
