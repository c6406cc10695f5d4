import pg from "pg";
import { createTablesOfSchemaFile, withScratchDatabase } from "#lib/scripts/new-migration.ts";
import { findStatementProblems, findUnreadSql } from "./support/statements/compare.ts";
import { listStatements } from "./support/statements/list.ts";

/**
 * The part of `npm run typecheck` for raw SQL: PostgreSQL parses each statement of `lib`, in all its variants, on a
 * temporary database with the tables of prisma/schema.prisma, and its rows are compared with the type beside it
 * (docs/decisions/041). Each piece of SQL has to be part of such a statement.
 */

/** Far below the number in `lib`: with fewer, the search for statements misses whole kinds. */
const LEAST_STATEMENTS = 250;

const USAGE = `npm run typecheck
Checks the types of TypeScript, and that raw SQL and the types of its rows fit prisma/schema.prisma.`;

if (process.argv.includes("--help")) console.log(USAGE);
else await checkSql();

async function checkSql(): Promise<void> {
  const listed = await listStatements();
  const unfit = await withScratchDatabase(async (url) => {
    await createTablesOfSchemaFile(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return await findStatementProblems(client, listed.statements).finally(() => client.end());
  });
  const isComplete = listed.statements.length > LEAST_STATEMENTS;
  const problems = [
    ...(isComplete ? [] : [`lib: only ${listed.statements.length} statements were found`]),
    ...findUnreadSql(listed),
    ...unfit,
  ];
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}
