import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  describeStatement,
  listNullableColumns,
  readTypeKinds,
  type DescribedColumn,
  type TypeKinds,
} from "#e2e/support/statements/describe.ts";
import { listStatements, type Column, type Statement } from "#e2e/support/statements/list.ts";

/**
 * Compares each raw statement of `lib`, in all its variants, with the migrated database: tables and columns that it
 * names are there, and its rows are what the type beside it says (docs/decisions/041).
 */

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
/** Only statements of one command can be described; the others name no columns. */
const SEVERAL_COMMANDS = /^cannot insert multiple commands/;
const fileOf = (location: string) => location.replace(/:\d+$/, "");
const withoutLine = (problem: string) => problem.replace(/:\d+:/, ":");

let statements: Statement[] = [];
let unreached: string[] = [];

beforeAll(async () => {
  await client.connect();
  ({ statements, unreached } = await listStatements());
});
afterAll(() => client.end());

/** What the catalog can't tell, by file. */
const EXCEPTIONS: Record<string, string> = {
  // Leaves out the rows where it is null.
  'lib/events/assignment-queries.ts: "userId" can be null, and the type says string': "a condition",
  'lib/backup/key-fingerprints.ts: "id" can be null, and the type says string': "a condition",
  // Returns what the same statement has inserted.
  'lib/comments/messages.ts: "id" can be null, and the type says string': "an insert",
  'lib/comments/notes.ts: "id" can be null, and the type says string': "an insert",
  'lib/mailbox/mailbox.ts: "id" can be null, and the type says string': "an insert",
  // Describes a cursor, which isn't open here.
  'lib/backup/tables.ts: the statement lacks "line"': "a cursor",
};

/** Pieces for lists whose length, or for an order that, the reader of the source can't tell. */
const UNREACHED_DECLARATIONS = [
  "lib/incidents/list-sql.ts: SORT_COLUMNS",
  "lib/incidents/list-sql.ts: andAfterCursorSql",
  "lib/incidents/list-sql.ts: assignedToSql",
  "lib/incidents/list-sql.ts: urgencyOrderSql",
  "lib/incidents/queries.ts: buildPageQuery",
  "lib/incidents/queries.ts: countedTotalSql",
  "lib/incidents/queries.ts: firstRowsPerEventSql",
  "lib/incidents/queries.ts: listIncidentsReportedByOrAssignedTo",
  "lib/incidents/queries.ts: mostUrgentPerEventSql",
  "lib/incidents/queries.ts: newestPerEventSql",
  "lib/incidents/queries.ts: recentRowsSql",
  "lib/incidents/sort-keys-sql.ts: afterSortKeysSql",
];

/** Texts that are only known at run time: those of migrations and settings, and of any table that the catalog names. */
const UNREAD_FILES = [
  "lib/backup/restore.ts",
  "lib/backup/tables.ts",
  "lib/database/connections.ts",
  "lib/database/migrate.ts",
  "lib/demo/fill.ts",
];

test("each piece of SQL is part of a statement, whose text can be read from the source", () => {
  expect(unreached.toSorted()).toEqual(UNREACHED_DECLARATIONS);
  expect(statements.length).toBeGreaterThan(250);
  const unread = statements.filter(({ texts }) => texts.length === 0).map(({ location }) => fileOf(location));
  expect([...new Set(unread)].toSorted()).toEqual(UNREAD_FILES);
});

test("each statement fits the schema, and its rows fit their type", async () => {
  const problems = await findProblems();
  const isException = (problem: string) => withoutLine(problem) in EXCEPTIONS;
  expect(problems.filter((problem) => !isException(problem))).toEqual([]);
  expect([...new Set(problems.map(withoutLine))].toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
});

test("finds the statements that name a column which was renamed, or whose type changed", async () => {
  const before = await findProblems();
  await client.query(`
    alter table team_note_revisions rename column body to text;
    alter table audit_checkpoints alter column number type int;
    alter table webhooks alter column url drop not null`);
  const found = (await findProblems()).filter((problem) => !before.includes(problem)).map(withoutLine);
  expect([...new Set(found)].toSorted()).toEqual([
    'lib/audit/known-chains.ts: "number" is number, and the type says bigint',
    'lib/comments/editing.ts: column "body" of relation "team_note_revisions" does not exist',
    'lib/comments/queries.ts: column "body" does not exist',
    "lib/incidents/history-queries.ts: column nr.body does not exist",
    'lib/webhooks/queries.ts: "url" can be null, and the type says string',
  ]);
});

/** Lists what is wrong with a statement or its row's type, as `file:line: problem`. */
async function findProblems(): Promise<string[]> {
  const kinds = await readTypeKinds(client);
  const nullable = await listNullableColumns(client);
  const problems = new Set<string>();
  for (const { location, texts, columns } of statements)
    for (const text of texts) {
      const described = await describeStatement(client, text);
      if (!("error" in described))
        for (const problem of compareColumns(columns, described.columns, { kinds, nullable }))
          problems.add(`${location}: ${problem}`);
      else if (!SEVERAL_COMMANDS.test(described.error)) problems.add(`${location}: ${described.error}`);
    }
  return [...problems];
}

type Catalog = { kinds: TypeKinds; nullable: Set<string> };

function compareColumns(
  expected: Column[] | undefined,
  found: DescribedColumn[],
  catalog: Catalog,
): string[] {
  if (!expected) return [];
  const surplus = found.filter(({ name }) => !expected.some((column) => column.name === name));
  const missing = expected.filter(
    ({ name, kinds }) => !kinds.includes("undefined") && !found.some((column) => column.name === name),
  );
  return [
    ...surplus.map(({ name }) => `the type lacks "${name}"`),
    ...missing.map(({ name }) => `the statement lacks "${name}"`),
    ...expected.flatMap((column) =>
      found.filter(({ name }) => name === column.name).flatMap((one) => compareColumn(column, one, catalog)),
    ),
  ];
}

function compareColumn(
  { name, kinds: expected }: Column,
  { dataTypeID, tableID, columnID }: DescribedColumn,
  { kinds, nullable }: Catalog,
): string[] {
  if (expected.includes("unknown")) return [];
  const kind = kinds.get(dataTypeID) ?? "other";
  const isFitting = kind === "json" || expected.includes(kind);
  // A list of Prisma's has no null, whatever its column allows.
  const isNullable = nullable.has(`${tableID}.${columnID}`) && !kind.endsWith("[]");
  const declared = `and the type says ${expected.join(" | ")}`;
  return [
    ...(isFitting ? [] : [`"${name}" is ${kind}, ${declared}`]),
    ...(isNullable && !expected.includes("null") ? [`"${name}" can be null, ${declared}`] : []),
  ];
}
