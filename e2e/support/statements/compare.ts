import type pg from "pg";
import {
  describeStatement,
  listNullableColumns,
  readTypeKinds,
  type DescribedColumn,
  type TypeKinds,
} from "./describe.ts";
import type { Column, ListedStatements, Statement } from "./list.ts";

/** Only statements of one command can be described; the others name no columns. */
const SEVERAL_COMMANDS = /^cannot insert multiple commands/;

/** What the catalog can't tell, by file. */
const STATEMENT_EXCEPTIONS: Record<string, string> = {
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

/**
 * Compares the statements of `lib`, in all their variants, with a database: tables and columns that they name are
 * there, and their rows are what the type beside them says. @returns the problems as `file:line: problem`, and
 * exceptions that no statement needs
 */
export async function findStatementProblems(
  client: pg.Client,
  statements: readonly Statement[],
): Promise<string[]> {
  const problems = await compareStatements(client, statements);
  const found = new Set(problems.map(leaveOutLine));
  return [
    ...problems.filter((problem) => !(leaveOutLine(problem) in STATEMENT_EXCEPTIONS)),
    ...Object.keys(STATEMENT_EXCEPTIONS)
      .filter((exception) => !found.has(exception))
      .map((exception) => `${exception}: no statement needs this exception`),
  ];
}

/** Texts that are only known at run time: those of migrations and settings, and of any table that the catalog names. */
const UNREAD_FILES = [
  "lib/backup/restore.ts",
  "lib/backup/tables.ts",
  "lib/database/connections.ts",
  "lib/database/migrate.ts",
  "lib/demo/fill.ts",
];

/**
 * Checks that each piece of SQL is part of a statement, whose text can be read from the source. @returns the problems
 * as `file: problem`, and exceptions that no statement needs
 */
export function findUnreadSql({ statements, unreached }: ListedStatements): string[] {
  const unread = statements
    .filter(({ texts }) => texts.length === 0)
    .map(({ location }) => location.replace(/:\d+$/, ""));
  return [
    ...unreached.map((place) => `${place} is part of no statement that is checked`),
    ...[...new Set(unread)]
      .filter((file) => !UNREAD_FILES.includes(file))
      .map((file) => `${file}: a statement can't be read from the source`),
    ...UNREAD_FILES.filter((file) => !unread.includes(file)).map(
      (file) => `${file}: no statement needs this exception`,
    ),
  ];
}

/** Returns a problem without the number of its line, which changes with every edit above it. */
export const leaveOutLine = (problem: string) => problem.replace(/:\d+:/, ":");

async function compareStatements(client: pg.Client, statements: readonly Statement[]): Promise<string[]> {
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
