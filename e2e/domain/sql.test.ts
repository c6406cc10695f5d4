import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import {
  runAfterCommit,
  getPrismaPool,
  prisma,
  runSqlTransaction,
  runTransaction,
  sql,
  queryWithCustomPlan,
} from "#lib/database/client.ts";
import { toAppError, isUniqueViolation, isCommitOutcomeUnknownError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { createOrganization } from "#e2e/support/rows.ts";

/** On a server that keeps another time than ours: every connection of the service must keep UTC all the same. */
beforeAll(async () => {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query(
    `do $$ begin execute format('alter database %I set timezone to ''Asia/Tokyo''', current_database()); end $$`,
  );
  await client.end();
});

const AT = new Date("2026-11-21T14:30:05.123Z");

describe("raw statements", () => {
  it("read every kind of value as Prisma reads it", async () => {
    const [row] = (await sql.$queryRaw`
      select 1::int as "int", 2::bigint as "bigint", 2.50::numeric as "numeric", 0.5::float8 as "float", true as "bool",
        '{"a":[1]}'::jsonb as "json", '\\x00ff'::bytea as "bytes", '2026-11-21'::date as "date",
        ${AT}::timestamptz as "at", ${AT}::timestamptz at time zone 'UTC' as "plain", array['x', 'ä']::text[] as "texts",
        array[1, null]::bigint[] as "bigints", array[0.10]::numeric[] as "numerics", null::text as "nothing",
        'submitted'::incident_state as "state", gen_random_uuid() as "id"`) as Record<string, unknown>[];
    expect(row).toMatchObject({
      int: 1,
      bigint: 2n,
      float: 0.5,
      bool: true,
      json: { a: [1] },
      date: new Date("2026-11-21T00:00:00Z"),
      at: AT,
      plain: AT,
      texts: ["x", "ä"],
      bigints: [1n, null],
      nothing: null,
      state: "submitted",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const { bytes, numeric, numerics } = row as { bytes: Uint8Array; numeric: unknown; numerics: unknown[] };
    expect(Buffer.from(bytes)).toEqual(Buffer.from([0, 255]));
    expect([numeric, ...numerics].map(String)).toEqual(["2.5", "0.1"]);
  });

  it("accept every kind of value", async () => {
    const texts = ["it's", 'a "word"', "back\\slash", "{brace}", "", null];
    const [row] = await sql.$queryRaw<Record<string, unknown>[]>`
      select ${texts}::text[] as texts, ${true}::boolean as yes, ${7}::int as seven, ${8n}::bigint as eight,
        ${new Uint8Array([1, 2])}::bytea as bytes, ${null}::uuid as none, ${JSON.stringify({ a: "ü" })}::jsonb as json`;
    expect(row).toMatchObject({ texts, yes: true, seven: 7, eight: 8n, none: null, json: { a: "ü" } });
    expect(Buffer.from(row?.bytes as Uint8Array)).toEqual(Buffer.from([1, 2]));
  });

  it("take the same list in several places", async () => {
    const texts = ["a", "b"];
    const [row] = await sql.$queryRaw<Record<string, unknown>[]>`
      select ${texts}::text[] as one, ${7}::int as seven, ${Prisma.sql`${texts}::text[]`} as two, ${["c"]}::text[] as other`;
    expect(row).toEqual({ one: texts, seven: 7, two: texts, other: ["c"] });
  });

  it("take fragments, and return how many rows they changed", async () => {
    const made = await Promise.all([createOrganization(), createOrganization()]);
    const ids = made.map(({ id }) => id);
    const these = Prisma.sql`id = any(${ids}::uuid[])`;
    expect(await sql.$executeRaw`update organizations set description = ${"changed"} where ${these}`).toBe(2);
    const rows = await sql.$queryRaw(Prisma.sql`select description from organizations where ${these}`);
    expect(rows).toEqual([{ description: "changed" }, { description: "changed" }]);
  });

  it("fail with what the translator of errors knows", async () => {
    const { slug } = await createOrganization();
    const again = sql.$executeRaw`insert into organizations (name, slug) values ('Again', ${slug})`;
    const error = await again.catch((thrown: unknown) => thrown);
    expect(isUniqueViolation(error, "slug")).toBe(true);
    expect(isUniqueViolation(error, "email")).toBe(false);
  });
});

describe("a transaction of raw statements", () => {
  const make = (tx: SqlClient, slug: string) =>
    tx.$executeRaw`insert into organizations (name, slug) values ('Made', ${slug})`;
  const made = (prefix: string) => prisma.organization.count({ where: { slug: { startsWith: prefix } } });

  it("keeps what is sent at its end, in that order, and gives what that gives", async () => {
    const lengths = await runSqlTransaction(
      (tx) => make(tx, "end-first"),
      (tx, first) => Promise.all([make(tx, "end-second"), tx.$queryRaw`select ${first}::int as first`]),
    );
    expect(lengths).toEqual([1, [{ first: 1 }]]);
    expect(await made("end-")).toBe(2);
  });

  it("keeps nothing when anything at its end fails", async () => {
    const { slug } = await createOrganization();
    const failing = runSqlTransaction(
      (tx) => make(tx, "failing-first"),
      (tx) => Promise.all([make(tx, "failing-second"), make(tx, slug), make(tx, "failing-third")]),
    );
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(isUniqueViolation(error, "slug")).toBe(true);
    expect(await made("failing-")).toBe(0);
  });

  it("says that nobody knows when its commit is not answered, and keeps quiet about one that was undone", async () => {
    const cut = (tx: SqlClient) => tx.$queryRaw`select pg_terminate_backend(pg_backend_pid())`;
    const unknown = await runSqlTransaction((tx) => make(tx, "cut-late"), cut).catch(
      (error: unknown) => error,
    );
    expect([isCommitOutcomeUnknownError(unknown), toAppError(unknown).status]).toEqual([true, 503]);
    const early = await runSqlTransaction(cut).catch((error: unknown) => error);
    expect([isCommitOutcomeUnknownError(early), toAppError(early).status]).toEqual([false, 503]);
    const failed = await runSqlTransaction((tx) => tx.$queryRaw`select 1 / 0`).catch(
      (error: unknown) => error,
    );
    expect(isCommitOutcomeUnknownError(failed)).toBe(false);
  });

  it("refuses what would be sent after a failure", async () => {
    const failed = Promise.withResolvers<void>();
    let straggler: Promise<unknown> = Promise.resolve();
    const failing = runSqlTransaction((tx) => {
      straggler = failed.promise.then(() => make(tx, "straggling"));
      return Promise.all([tx.$queryRaw`select 1 / 0`, straggler]);
    });
    expect(toAppError(await failing.catch((thrown: unknown) => thrown)).status).toBe(500);
    failed.resolve();
    await expect(straggler).rejects.toThrow("the transaction has ended");
    expect(await made("straggling")).toBe(0);
  });

  it("refuses what would be sent after the commit", async () => {
    const late = runSqlTransaction(
      (tx) => make(tx, "late-first"),
      async (tx) => {
        await make(tx, "late-second");
        await make(tx, "late-third");
      },
    );
    await expect(late).rejects.toThrow("the transaction has ended");
    expect(await made("late-third")).toBe(0);
  });
});

it("runs callbacks after a commit, once, and never after a failure", async () => {
  for (const run of [runTransaction, runSqlTransaction]) {
    let called = 0;
    const call = () => (called += 1);
    const work = async (tx: SqlClient) => {
      runAfterCommit(tx, call);
      runAfterCommit(tx, call);
      await tx.$executeRaw`select 1`;
      return called;
    };
    expect(await run(work)).toBe(0);
    expect(called).toBe(1);
    const failing = run((tx: SqlClient) => work(tx).then(() => Promise.reject(new Error("taken back"))));
    await expect(failing).rejects.toThrow("taken back");
    expect(called).toBe(1);
  }
});

it("has the same current time in raw statements, in models and in the database", async () => {
  const { rows } = await getPrismaPool().query<{ zone: string }>(
    "select current_setting('TimeZone') as zone",
  );
  expect(rows).toEqual([{ zone: "UTC" }]);
  const before = Date.now();
  const { id } = await createOrganization();
  await sql.$executeRaw`update organizations set updated_at = now() where id = ${id}::uuid`;
  const raw = await sql.$queryRaw<
    { at: Date }[]
  >`select updated_at as at from organizations where id = ${id}::uuid`;
  const model = await prisma.organization.findUniqueOrThrow({ where: { id } });
  expect(model.updatedAt).toEqual(raw[0]?.at);
  expect(Math.abs(model.updatedAt.getTime() - before)).toBeLessThan(60_000);
});

it("plans a statement for its values where that is wanted, and no other one after it", async () => {
  const mode = Prisma.sql`select current_setting('plan_cache_mode') as mode, ${7}::int as value`;
  for (let count = 0; count < 12; count += 1) {
    expect(await queryWithCustomPlan(mode)).toEqual([{ mode: "force_custom_plan", value: 7 }]);
    expect(await sql.$queryRaw(mode)).toEqual([{ mode: "force_generic_plan", value: 7 }]);
  }
});

it("takes no prepared statement for a list of values in a Prisma call, whatever its length", async () => {
  const texts = await runTransaction(async (tx) => {
    for (const length of [2, 3, 4])
      await tx.user.findMany({ where: { id: { in: Array.from({ length }, () => randomUUID()) } } });
    await tx.user.findMany({ where: { name: "Nobody Here" } });
    const prepared = await tx.$queryRaw<
      { statement: string }[]
    >`select statement from pg_prepared_statements`;
    return prepared.map(({ statement }) => statement).filter((text) => text.includes('"users"'));
  });
  expect(texts).toHaveLength(1);
  expect(texts[0]).not.toContain(" IN (");
});
