import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobWorker } from "#lib/worker/worker.ts";

/** The job worker: it runs what is queued and scheduled, and survives what happens to it and to its database. */

// Twice as long as a test may wait for a job, and more.
vi.setConfig({ testTimeout: 120_000 });

const dataDir = process.env.HEED_DATA_DIR ?? "";
const databaseUrl = process.env.DATABASE_URL ?? "";
process.env.PRINT_MAIL_LINKS = "off";

// Loaded after that, since they read the environment.
const modules = {
  db: await import("#lib/database/client.ts"),
  jobs: await import("#lib/jobs/enqueue.ts"),
  worker: await import("#lib/worker/worker.ts"),
  storage: await import("#lib/files/storage/storage.ts"),
};
const client = new pg.Client(databaseUrl);
let worker: JobWorker | undefined;

beforeAll(() => client.connect());
afterAll(() => client.end());

beforeEach(async () => {
  await client.query("truncate graphile_worker._private_jobs, users cascade");
  await rm(outboxFolder(), { recursive: true, force: true });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

const outboxFolder = () => path.join(dataDir, "outbox");
const readMails = async () => {
  const names = existsSync(outboxFolder()) ? await readdir(outboxFolder()) : [];
  // A mail that is being written has another name.
  const written = names.filter((name) => name.endsWith(".eml"));
  return Promise.all(written.map((name) => readFile(path.join(outboxFolder(), name), "utf8")));
};
const listQueuedJobs = async (): Promise<
  { task: string; payload: unknown; attempts: number; last_error: string | null }[]
> => {
  const { rows } = await client.query(
    `select t.identifier as task, j.payload, j.attempts, j.last_error from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id order by j.id`,
  );
  return rows;
};
const createPerson = async (email: string): Promise<string> => {
  const { rows } = await client.query(
    "insert into users (email, name, password_hash) values ($1, 'Maya', 'x') returning id",
    [email],
  );
  return rows[0].id;
};
const startTestWorker = async () => {
  worker = await modules.worker.startWorker(databaseUrl);
};
const waitUntilPassing = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 50_000, interval: 50 });

describe("enqueueJob", () => {
  it("commits with its transaction, and disappears with it", async () => {
    const { runTransaction } = modules.db;
    const { enqueueJob } = modules.jobs;
    await runTransaction((tx) => enqueueJob(tx, "mail.reset", { email: "maya@example.org" }));
    const failing = runTransaction(async (tx) => {
      await enqueueJob(tx, "mail.reset", { email: "omar@example.org" });
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    expect(await listQueuedJobs()).toEqual([
      { task: "mail.reset", payload: { email: "maya@example.org" }, attempts: 0, last_error: null },
    ]);
  });

  it("takes a time, a number of tries and a key that replaces", async () => {
    const { runTransaction } = modules.db;
    const { enqueueJob } = modules.jobs;
    const runAt = new Date(Date.now() + 3600_000);
    const options = { runAt, maxAttempts: 3, jobKey: "one" };
    for (const email of ["a@example.org", "b@example.org"])
      await runTransaction((tx) => enqueueJob(tx, "mail.reset", { email }, options));
    const { rows } = await client.query(
      "select payload, run_at, max_attempts, key from graphile_worker._private_jobs",
    );
    expect(rows).toEqual([
      { payload: { email: "b@example.org" }, run_at: runAt, max_attempts: 3, key: "one" },
    ]);
  });
});

describe("the worker", () => {
  const enqueueJob: typeof modules.jobs.enqueueJob extends (tx: infer _, ...rest: infer Rest) => unknown
    ? (...rest: Rest) => Promise<void>
    : never = (...rest) => modules.db.runTransaction((tx) => modules.jobs.enqueueJob(tx, ...rest));

  it("mails a reset link whose token is nowhere in the database", async () => {
    const userId = await createPerson("maya@example.org");
    await enqueueJob("mail.reset", { email: "maya@example.org" });
    await startTestWorker();
    await waitUntilPassing(async () => expect(await listQueuedJobs()).toEqual([]));
    const [mail = "", ...others] = await readMails();
    expect(others).toEqual([]);
    const token = /reset-password\?token=3D([\w-]{20,})|reset-password\?token=([\w-]{20,})/.exec(
      mail.replaceAll("=\r\n", ""),
    );
    expect(token).not.toBeNull();
    const { rows } = await client.query("select token_hash from password_resets where user_id = $1", [
      userId,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token?.[1] ?? token?.[2]);
  });

  it("writes no mail to an unknown address", async () => {
    await enqueueJob("mail.reset", { email: "nobody@example.org" });
    await startTestWorker();
    await waitUntilPassing(async () => expect(await listQueuedJobs()).toEqual([]));
    expect(await readMails()).toEqual([]);
  });

  it("mails a notice about a changed address to the previous address", async () => {
    const userId = await createPerson("new@example.org");
    await enqueueJob("mail.notice", { userId, kind: "emailChanged", formerEmail: "old@example.org" });
    await enqueueJob("mail.notice", { userId, kind: "passwordChanged" });
    await startTestWorker();
    await waitUntilPassing(async () => expect(await readMails()).toHaveLength(2));
    const summaries = (await readMails()).map((mail) => [
      /^To: (.*)\r$/m.exec(mail)?.[1],
      /^Subject: (.*)\r$/m.exec(mail)?.[1],
    ]);
    expect(summaries.toSorted()).toEqual([
      ["new@example.org", "Your password was changed"],
      ["old@example.org", "Your email address was changed"],
    ]);
  });

  it("removes stored files", async () => {
    const { createStorageKey, getFileStorage } = modules.storage;
    const key = createStorageKey();
    await mkdir(path.join(dataDir, "tmp"), { recursive: true });
    await writeFile(path.join(dataDir, "tmp", "upload"), "x");
    await getFileStorage().put(key, path.join(dataDir, "tmp", "upload"), "text/plain");
    await enqueueJob("files.remove", { keys: [key, createStorageKey()] });
    await startTestWorker();
    await waitUntilPassing(async () => expect(await listQueuedJobs()).toEqual([]));
    await expect(getFileStorage().open(key)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("runs the sweeps", async () => {
    for (const task of [
      "sweepTemporary",
      "sweepOrphans",
      "sweepRows",
      "sweepCounters",
      "sweepNotifications",
      "queueDigests",
    ] as const)
      await enqueueJob(task, {});
    await client.query(
      "insert into rate_limits (key, points, expire) values ('over', 1, 0), ('counting', 1, 32503680000000)",
    );
    await startTestWorker();
    await waitUntilPassing(async () => expect(await listQueuedJobs()).toEqual([]));
    expect((await client.query("select key from rate_limits")).rows).toEqual([{ key: "counting" }]);
  });

  it("removes scheduled jobs that failed for good and old undeliverable mails, and no others", async () => {
    const failed = (email: string, payload: string, hours: number) =>
      client.query(
        `select graphile_worker.add_job('mail.reset', $1::json, run_at => now() - make_interval(hours => $2),
           max_attempts => 1, job_key => $3)`,
        [payload, hours, email],
      );
    await failed("scheduled", '{"_cron": {"ts": "2026-01-01T00:00:00Z"}}', 7);
    await failed("just now", '{"_cron": {"ts": "2026-01-01T00:00:00Z"}}', 1);
    await failed("asked for", '{"email": "maya@example.org"}', 7);
    for (const days of [31, 29])
      await failed(`undeliverable for ${days} days`, '{"email": "maya@example.org"}', days * 24);
    await client.query("update graphile_worker._private_jobs set attempts = 1");
    await client.query(
      "update graphile_worker._private_jobs set last_error = 'mail.reset: undeliverable EENVELOPE 550' where key like 'undel%'",
    );
    const { sweepRows } = await import("#lib/worker/sweep.ts");
    await sweepRows();
    const { rows } = await client.query("select key from graphile_worker._private_jobs order by id");
    expect(rows.map(({ key }) => key)).toEqual(["just now", "asked for", "undeliverable for 29 days"]);
  });

  it("retries a failed job, and stores a reason without content", async () => {
    await writeFile(outboxFolder(), "a file in the folder's place");
    await createPerson("maya@example.org");
    await enqueueJob("mail.reset", { email: "maya@example.org" });
    await startTestWorker();
    await waitUntilPassing(async () =>
      expect((await listQueuedJobs())[0]).toMatchObject({
        last_error: expect.stringMatching(/^mail\.reset: E\w+$/),
        attempts: 1,
      }),
    );
    await rm(outboxFolder());
    await client.query("update graphile_worker._private_jobs set run_at = now()");
    await waitUntilPassing(async () => expect(await listQueuedJobs()).toEqual([]));
    expect(await readMails()).toHaveLength(1);
  });

  it("takes over the jobs of a killed worker at once", async () => {
    await enqueueJob("mail.notice", { userId: randomUUID(), kind: "passwordChanged" });
    await client.query(
      "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker-of-a-killed-process', attempts = 1",
    );
    await startTestWorker();
    await waitUntilPassing(async () => expect(await listQueuedJobs()).toEqual([]));
  });

  it("doesn't take the jobs of a running worker", async () => {
    await startTestWorker();
    await enqueueJob(
      "mail.notice",
      { userId: randomUUID(), kind: "passwordChanged" },
      { runAt: new Date(Date.now() + 3600_000), jobKey: "notice" },
    );
    // The scheduled jobs of each minute have no such key.
    await client.query(
      "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'another-process' where key = 'notice'",
    );
    const second = await modules.worker.startWorker(databaseUrl);
    const { rows } = await client.query(
      "select locked_by from graphile_worker._private_jobs where key = 'notice'",
    );
    expect(rows).toEqual([{ locked_by: "another-process" }]);
    await second.stop();
  });

  it("continues after the database cut its connections", async () => {
    await startTestWorker();
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'heed-jobs%'",
    );
    const userId = await createPerson("maya@example.org");
    await enqueueJob("mail.notice", { userId, kind: "passwordChanged" });
    await waitUntilPassing(async () => expect(await readMails()).toHaveLength(1));
  });

  it("retries a job whose outcome could not be stored", async () => {
    await client.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`);
    await client.query(
      "create trigger refused before delete on graphile_worker._private_jobs for each row execute function refuse()",
    );
    const userId = await createPerson("maya@example.org");
    await startTestWorker();
    // While another process runs, only the worker itself frees the jobs that its own workers locked.
    const other = await modules.worker.startWorker(databaseUrl);
    await enqueueJob("mail.notice", { userId, kind: "passwordChanged" });
    await waitUntilPassing(async () => expect(await readMails()).toHaveLength(1));
    await client.query("drop function refuse cascade");
    // The scheduled jobs of each minute may have run in between; their own next run handles them.
    const notices = async () => (await listQueuedJobs()).filter(({ task }) => task === "mail.notice");
    await waitUntilPassing(async () => expect(await notices()).toEqual([]));
    await other.stop();
  });

  it("runs a missed sweep at its start", async () => {
    await startTestWorker();
    await waitUntilPassing(async () => {
      const { rows } = await client.query(
        "select identifier from graphile_worker._private_known_crontabs order by 1",
      );
      expect(rows.map((row) => row.identifier)).toEqual([
        "applyRetention",
        "beginEvidenceCheck",
        "escalateUnanswered",
        "flushSearchIndexes",
        "letOutsidePeopleIn",
        "mail.auditHeads",
        "queueDigests",
        "recheckEvidenceProblems",
        "sweepCounters",
        "sweepNotifications",
        "sweepOrphans",
        "sweepRows",
      ]);
    });
    await worker?.stop();
    await client.query(
      "update graphile_worker._private_known_crontabs set known_since = now() - interval '3 days', last_execution = now() - interval '2 days'",
    );
    await startTestWorker();
    await waitUntilPassing(async () => {
      const { rows } = await client.query(
        "select count(*)::int as made_up from graphile_worker._private_known_crontabs where identifier like 'sweep%' and identifier <> 'sweepCounters' and last_execution > now() - interval '25 hours'",
      );
      expect(rows).toEqual([{ made_up: 3 }]);
      expect(await listQueuedJobs()).toEqual([]);
    });
  });
});
