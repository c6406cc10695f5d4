import { appendFile, chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOrAwaitDatabase, type DatabaseHandle } from "#lib/server/open-database.ts";

const MARKER = "zqmarker.maya@example.org";

let dataDir: string;
let database: DatabaseHandle;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "heed-postgres-log-"));
  // The database's own user needs access.
  await chmod(dataDir, 0o755);
  database = await startOrAwaitDatabase({ DATABASE_URL: undefined, dataDir }, () => {});
  await withClient((client) =>
    client.query(`
      create table people (id int primary key, email text unique check (email <> 'nobody'), manager int references people);
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused: %', new.email; end $$;
      create table refused (email text);
      create trigger refuse before insert on refused for each row execute function refuse();
      insert into people values (1, '${MARKER}'), (2, 'two')`),
  );
});

afterAll(async () => {
  await database?.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function withClient<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(database.url);
  client.on("error", () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

const ERRORS: [code: string, statement: string, values?: string[]][] = [
  ["23505", "insert into people values (3, $1)", [MARKER]],
  ["23505", `insert into people values (3, '${MARKER}')`],
  ["23503", "insert into people values (4, $1 || '4', 99)", [MARKER]],
  ["23514", `insert into people select 5, 'nobody' where '${MARKER}' <> ''`],
  ["22P02", "select $1::uuid", [MARKER]],
  ["22P02", `select '${MARKER}'::int`],
  ["22P02", "select $1::jsonb", [`{"email": ${MARKER}}`]],
  ["22007", "select $1::timestamptz", [MARKER]],
  ["2201B", "select 'x' ~ $1", [`(${MARKER}`]],
  ["42703", `select "${MARKER}" from people`],
  ["42P01", `select * from "${MARKER}"`],
  ["42601", `selec '${MARKER}'`],
  ["P0001", "insert into refused values ($1)", [MARKER]],
  ["22012", `do $$ begin perform 1 / 0 where '${MARKER}' <> ''; end $$`],
  ["57014", `set statement_timeout = 20; select pg_sleep(10), '${MARKER}'`],
  ["55P03", `set lock_timeout = 20; select pg_advisory_lock(7), '${MARKER}'`],
];

test("errors of statements leave nothing of what was sent in postgres.log", async () => {
  await withClient(async (holder) => {
    await holder.query("select pg_advisory_lock(7)");
    for (const [code, statement, values] of ERRORS)
      await withClient((client) =>
        expect(client.query(statement, values), statement).rejects.toMatchObject({ code }),
      );
  });
  await deadlock();
  expect(await logged()).not.toContain("zqmarker");
});

test("a crash is logged in postgres.log without the running statement", async () => {
  await withClient(async (client) => {
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const running = client.query(`select pg_sleep(30), '${MARKER}'`).catch((error: unknown) => error);
    process.kill(rows[0]?.pid ?? 0, "SIGKILL");
    expect(await running).toBeInstanceOf(Error);
  });
  await expect.poll(logged, { timeout: 50_000 }).toContain("terminated by signal 9");
  const answers = () => withClient((client) => client.query("select 1").then(() => true)).catch(() => false);
  await expect.poll(answers, { timeout: 50_000 }).toBe(true);
  expect(await logged()).not.toContain("zqmarker");
}, 120_000);

test("a large log is rotated while the server runs, and the server continues to write", async () => {
  const file = path.join(dataDir, "postgres.log");
  await appendFile(file, `${"x".repeat(10_000_000)}\n`);
  await expect.poll(async () => (await stat(file)).size, { timeout: 50_000 }).toBeLessThan(1_000_000);
  const aside = await stat(`${file}.1`);
  expect([aside.size > 10_000_000, aside.mode & 0o777]).toEqual([true, 0o600]);
  const wrong = new URL(database.url);
  wrong.password = "wrong";
  const client = new pg.Client(wrong.href);
  client.on("error", () => {});
  await expect(client.connect()).rejects.toMatchObject({ code: "28P01" });
  await expect.poll(logged, { timeout: 50_000 }).toContain("authentication failed");
}, 120_000);

const logged = () => readFile(path.join(dataDir, "postgres.log"), "utf8");

/** Two connections that each wait for a lock which the other holds. */
async function deadlock(): Promise<void> {
  await withClient((one) =>
    withClient(async (other) => {
      const change = (client: pg.Client, id: number) =>
        client.query(`update people set manager = 1 where id = ${id} and '${MARKER}' <> ''`);
      for (const [client, id] of [
        [one, 1],
        [other, 2],
      ] as const) {
        await client.query("begin");
        await change(client, id);
      }
      const outcomes = await Promise.allSettled([change(one, 2), change(other, 1)]);
      expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
        reason: { code: "40P01" },
      });
    }),
  );
}
