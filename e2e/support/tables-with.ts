import type { SharedService } from "./service.ts";

/** Lists the tables, those of jobs among them, that hold a word in any of their columns. */
export async function listTablesWith({ sql, rows }: SharedService, word: string): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker')",
  );
  const found = await Promise.all(
    tables.map(async ({ name }) =>
      (await rows(`${name} t`, "t::text like $1", [`%${word}%`])) > 0 ? [name] : [],
    ),
  );
  return found.flat();
}
