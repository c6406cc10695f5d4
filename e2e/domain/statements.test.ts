import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findStatementProblems, findUnreadSql, leaveOutLine } from "#e2e/support/statements/compare.ts";
import { listStatements, type Statement } from "#e2e/support/statements/list.ts";

/**
 * The type check of raw SQL (docs/decisions/041), which `npm run typecheck` does with all of `lib`: it finds what no
 * longer fits the database, and what it can't read.
 */

const BROKEN_FILES =
  /\/lib\/(audit\/known-chains|comments\/(editing|queries)|incidents\/history-queries|webhooks\/queries)\.ts$/;

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
beforeAll(() => client.connect());
afterAll(() => client.end());

test("finds each statement that a renamed or changed column breaks", async () => {
  const { statements } = await listStatements((file) => BROKEN_FILES.test(file));
  const find = async () => {
    const problems = await findStatementProblems(client, statements);
    return [...new Set(problems.map(leaveOutLine))].filter((problem) => !NEEDS_EXCEPTION.test(problem));
  };
  expect(await find()).toEqual([]);
  await client.query(`
    alter table team_note_revisions rename column body to text;
    alter table audit_checkpoints alter column number type int;
    alter table webhooks alter column url drop not null`);
  expect((await find()).toSorted()).toEqual([
    'lib/audit/known-chains.ts: "number" is number, and the type says bigint',
    'lib/comments/editing.ts: column "body" of relation "team_note_revisions" does not exist',
    'lib/comments/queries.ts: column "body" does not exist',
    "lib/incidents/history-queries.ts: column nr.body does not exist",
    'lib/webhooks/queries.ts: "url" can be null, and the type says string',
  ]);
  // It reads the source with its types.
}, 300_000);

/** An exception for a file that isn't read here. */
const NEEDS_EXCEPTION = /: no statement needs this exception$/;

test("finds a piece of SQL that is part of no statement, and a text that can't be read", () => {
  const unread = (location: string): Statement => ({ location, texts: [], columns: undefined });
  const known = [
    "lib/backup/restore.ts:203",
    "lib/backup/tables.ts:55",
    "lib/database/connections.ts:1",
    "lib/database/migrate.ts:178",
    "lib/demo/fill.ts:185",
  ].map(unread);
  expect(findUnreadSql({ statements: known, unreached: [] })).toEqual([]);
  const statements = [...known.slice(1), unread("lib/some.ts:3"), unread("lib/some.ts:9")];
  expect(findUnreadSql({ statements, unreached: ["lib/other.ts: CONDITION_SQL"] })).toEqual([
    "lib/other.ts: CONDITION_SQL is part of no statement that is checked",
    "lib/some.ts: a statement can't be read from the source",
    "lib/backup/restore.ts: no statement needs this exception",
  ]);
});
