import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dropDatabase } from "#e2e/support/database.ts";
import { TransactionPooler } from "#e2e/support/transaction-pooler.ts";
import {
  assertDatabaseSessionPreservedInPool,
  assertDatabaseSessionPreserved,
  connectClient,
  openPool,
} from "#lib/database/connections.ts";
import { getPrismaPool, prisma, runSqlTransaction, runTransaction } from "#lib/database/client.ts";
import { startDeadlinesSql } from "#lib/incidents/deadline-sql.ts";
import { isDatabaseUnavailableError } from "#lib/operation/errors.ts";
import { PrismaClient } from "#lib/generated/prisma/client.ts";
import { createPrismaAdapterWithZonedTimes } from "#lib/database/zoned-adapter.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";

/** What the service sets on its connections, whatever role, database and server have set, and what it refuses. */

const { DATABASE_URL: url = "" } = process.env;
const database = new URL(url).pathname.slice(1);
const owner = new pg.Client({ connectionString: url });
const ends: (() => unknown)[] = [];
const options = { applicationName: "heed-test" };
const quiet = { dataDir: "", DATABASE_URL: url };

// As an administrator may have set it; what connects from here on has it.
const UNUSUAL = {
  timezone: "America/Bogota",
  datestyle: "SQL, DMY",
  client_encoding: "LATIN1",
  default_transaction_isolation: "serializable",
  statement_timeout: "1min",
};

beforeAll(async () => {
  await owner.connect();
  for (const [name, value] of Object.entries(UNUSUAL))
    await owner.query(`alter database ${database} set ${name} = '${value}'`);
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await owner.end();
});

it("sets what it needs on each connection, whatever the database has set", async () => {
  const names = [...Object.keys(UNUSUAL), "plan_cache_mode"];
  const { rows } = await getPrismaPool().query(
    `select ${names.map((name, index) => `current_setting('${name}') as s${index}`).join(", ")}`,
  );
  expect(Object.values(rows[0])).toEqual([
    "UTC",
    "ISO, MDY",
    "UTF8",
    "read committed",
    "15s",
    "force_generic_plan",
  ]);
});

const NOON = new Date("2026-05-04T12:00:00.123Z");
const inUtc = async (email: string) =>
  (
    await owner.query(
      `select to_char(disabled_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as "disabledAt",
         abs(extract(epoch from now() - created_at)) < 60 as recent from users where email = $1`,
      [email],
    )
  ).rows[0];

it("stores times as they are through Prisma, in a transaction and raw", async () => {
  const person = (email: string) => ({ email, name: "Ada Nwosu", passwordHash: "x", disabledAt: NOON });
  await prisma.user.create({ data: person("one@example.org") });
  await runTransaction((tx) => tx.user.create({ data: person("two@example.org") }));
  await runSqlTransaction(
    (tx) =>
      tx.$executeRaw`insert into users (email, name, password_hash, disabled_at) values ('three@example.org', 'Ada', 'x', ${NOON})`,
  );
  for (const email of ["one@example.org", "two@example.org", "three@example.org"]) {
    expect(await inUtc(email)).toEqual({ disabledAt: "2026-05-04 12:00:00.123", recent: true });
    expect((await prisma.user.findUniqueOrThrow({ where: { email } })).disabledAt).toEqual(NOON);
  }
});

it("stores and reads times as they are through Prisma also where the session has another zone", async () => {
  const elsewhere = openPool(url, { ...options, settings: { TimeZone: "America/Bogota" }, max: 1 });
  const client = new PrismaClient({ adapter: createPrismaAdapterWithZonedTimes(() => elsewhere) });
  ends.push(() => elsewhere.end());
  expect((await elsewhere.query("show timezone")).rows).toEqual([{ TimeZone: "America/Bogota" }]);
  const data = { email: "four@example.org", name: "Ada", passwordHash: "x", disabledAt: NOON };
  await client.user.create({ data });
  await client.$transaction((tx) => tx.user.create({ data: { ...data, email: "five@example.org" } }));
  for (const email of ["four@example.org", "five@example.org"]) {
    expect(await inUtc(email)).toEqual({ disabledAt: "2026-05-04 12:00:00.123", recent: true });
    const found = await client.user.findFirstOrThrow({ where: { email, disabledAt: NOON } });
    expect(found.disabledAt).toEqual(NOON);
    expect(Math.abs(found.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
  }
  await client.$disconnect();
});

it("sets when a response is due whatever the zone of the session, also over a change of the clocks", async () => {
  await owner.query(`
    set timezone = 'America/New_York';
    insert into organizations (name, slug) values ('Riverside Meetups', 'riverside');
    insert into events (organization_id, name, slug) select id, 'Riverside Spring', 'spring' from organizations;
    insert into users (email, name, password_hash) values ('maya@example.org', 'Maya Castillo', 'x');
    insert into incidents (event_id, reporter_id, title, description, state, contact_method, created_at, first_response_at)
    select e.id, u.id, 'Shouting at the desk', 'It went on for a while.', 'acknowledged', 'email',
      '2026-03-05T12:00:00Z', '2026-03-05T12:00:00Z' from events e, users u where u.email = 'maya@example.org'`);
  const { text, values } = startDeadlinesSql();
  await owner.query(text, values);
  const { rows } = await owner.query(
    "select extract(epoch from due_at - due_since)::int / 3600 as hours from incidents",
  );
  expect(rows).toEqual([{ hours: 7 * 24 }]);
});

it("refuses a start behind a pooler that keeps no sessions, and says what to do", async () => {
  const { pooler, url: behind } = await TransactionPooler.open(url);
  ends.push(() => pooler.close());
  await expect(startOrAwaitDatabase({ ...quiet, DATABASE_URL: behind }, () => {})).rejects.toThrow(
    /does not keep sessions.*pool_mode = session/,
  );
  await expect(startOrAwaitDatabase(quiet, () => {})).resolves.toMatchObject({ url });
});

it("finds out on a running connection that its session is another's", async () => {
  const { pooler, url: behind } = await TransactionPooler.open(url);
  ends.push(() => pooler.close());
  const first = openPool(behind, { ...options, max: 1 });
  const second = openPool(behind, { ...options, max: 1 });
  ends.push(() => Promise.all([first.end(), second.end()]));
  await assertDatabaseSessionPreservedInPool(first);
  await expect(
    assertDatabaseSessionPreservedInPool(second).then(() => assertDatabaseSessionPreservedInPool(first)),
  ).rejects.toMatchObject({
    code: "0A000",
  });
});

it("names a setting that something else has changed on the connection", async () => {
  const client = await connectClient(url, options);
  ends.push(() => client.end());
  await assertDatabaseSessionPreserved(client);
  await client.query("set timezone = 'America/Bogota'");
  await expect(assertDatabaseSessionPreserved(client)).rejects.toThrow(
    "TimeZone is America/Bogota on it, right after it was set to UTC",
  );
});

it("gives up the connection on which a write was refused as read-only, and takes it for unavailable", async () => {
  const some = openPool(url, { ...options, max: 1 });
  ends.push(() => some.end());
  const client = await some.connect();
  const pid = "select pg_backend_pid() as pid";
  const before = (await client.query(pid)).rows;
  await client.query("set default_transaction_read_only = on");
  const error = await client.query("create table refused ()").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "25006" });
  expect(isDatabaseUnavailableError(error)).toBe(true);
  client.release();
  expect((await some.query(pid)).rows).not.toEqual(before);
});

it("takes no connection to a server that is read-only", async () => {
  await owner.query(`alter database ${database} set default_transaction_read_only = on`);
  const some = openPool(url, { ...options, max: 1 });
  const refused = some.query("select 1");
  await expect(refused).rejects.toMatchObject({ code: "25006" });
  await owner.query("set default_transaction_read_only = off");
  await owner.query(`alter database ${database} reset default_transaction_read_only`);
  expect((await some.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await some.end();
});

it("connects to the first of several hosts that takes writes", async () => {
  // Nobody listens on the first, and the second is a database in which nothing may be written.
  const other = `test_${randomBytes(6).toString("hex")}`;
  await owner.query(`create database ${other}`);
  ends.push(() => dropDatabase(url, other));
  const { host, searchParams, username, password } = new URL(url);
  const socket = searchParams.get("host");
  const nowhere = socket ? `/nowhere,${socket}` : `127.0.0.1:9,${host}`;
  const several = (query: string) =>
    socket
      ? `postgresql://${username}:${password}@/${other}?host=${encodeURIComponent(nowhere)}&${query}`
      : `postgresql://${username}:${password}@${nowhere}/${other}?${query}`;
  const client = await connectClient(several("target_session_attrs=read-write"), options);
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await client.end();
  await owner.query(`alter database ${other} set default_transaction_read_only = on`);
  await expect(connectClient(several("target_session_attrs=read-write"), options)).rejects.toMatchObject({
    code: "25006",
  });
});
