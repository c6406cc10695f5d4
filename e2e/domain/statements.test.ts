import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findStatementProblems, leaveOutLine } from "#e2e/support/statements/compare.ts";
import { listStatements, type Statement } from "#e2e/support/statements/list.ts";

/**
 * The type check of raw SQL (`npm run typecheck`, docs/decisions/041): it reaches every statement, and finds what no
 * longer fits the database.
 */

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
const fileOf = (location: string) => location.replace(/:\d+$/, "");

let statements: Statement[] = [];
let unreached: string[] = [];

beforeAll(async () => {
  await client.connect();
  ({ statements, unreached } = await listStatements());
  // It reads all of the source with its types.
}, 300_000);
afterAll(() => client.end());

/** Texts that are only known at run time: those of migrations and settings, and of any table that the catalog names. */
const UNREAD_FILES = [
  "lib/backup/restore.ts",
  "lib/backup/tables.ts",
  "lib/database/connections.ts",
  "lib/database/migrate.ts",
  "lib/demo/fill.ts",
];

test("each piece of SQL is part of a statement, whose text can be read from the source", () => {
  expect(unreached).toEqual([]);
  expect(statements.length).toBeGreaterThan(250);
  const unread = statements.filter(({ texts }) => texts.length === 0).map(({ location }) => fileOf(location));
  expect([...new Set(unread)].toSorted()).toEqual(UNREAD_FILES);
});

test("finds no problem in the schema as it is, and each statement that a renamed or changed column breaks", async () => {
  expect(await findStatementProblems(client, statements)).toEqual([]);
  await client.query(`
    alter table team_note_revisions rename column body to text;
    alter table audit_checkpoints alter column number type int;
    alter table webhooks alter column url drop not null`);
  const found = (await findStatementProblems(client, statements)).map(leaveOutLine);
  expect([...new Set(found)].toSorted()).toEqual([
    'lib/audit/known-chains.ts: "number" is number, and the type says bigint',
    'lib/comments/editing.ts: column "body" of relation "team_note_revisions" does not exist',
    'lib/comments/queries.ts: column "body" does not exist',
    "lib/incidents/history-queries.ts: column nr.body does not exist",
    'lib/webhooks/queries.ts: "url" can be null, and the type says string',
  ]);
});
