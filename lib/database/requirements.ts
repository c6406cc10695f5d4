import type pg from "pg";
import { describeDatabaseUrl } from "#lib/database-url.ts";

/** What a database has to be before anything is written to it. */

const HOW_TO_CREATE =
  "Create it with ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0, and move the data of an existing one with npm run backup and npm run restore. Check DATABASE_URL.";

/**
 * Refuses a database that can't hold every text, that doesn't know upper and lower case beyond ASCII, so that a search
 * would miss words, or whose server lacks the extension pg_trgm. Only reads.
 * @throws Error in one line, with what to do
 */
export async function refuseUnsuitableDatabase(client: pg.ClientBase, url: string): Promise<void> {
  const database = `The database at ${describeDatabaseUrl(url)}`;
  const { rows } = await client.query<{ encoding: string; hasTrigrams: boolean }>(
    `select current_setting('server_encoding') as encoding,
      exists (select from pg_available_extensions where name = 'pg_trgm') as "hasTrigrams"`,
  );
  const { encoding = "", hasTrigrams = false } = rows[0] ?? {};
  if (encoding !== "UTF8")
    throw new Error(`${database} has the encoding ${encoding}, and Heed needs UTF8. ${HOW_TO_CREATE}`);
  // Asked last, since another encoding may not have these letters.
  const letters = await client.query<{ lowered: boolean; locale: string }>(
    `select lower('Ä') = 'ä' as lowered,
      (select datcollate from pg_database where datname = current_database()) as locale`,
  );
  const { lowered = false, locale = "" } = letters.rows[0] ?? {};
  if (!lowered)
    throw new Error(
      `${database} has the locale ${locale}, in which Ä and ä are two letters, so searches would miss words. ${HOW_TO_CREATE}`,
    );
  if (!hasTrigrams)
    throw new Error(
      `The server of the database at ${describeDatabaseUrl(url)} lacks the extension pg_trgm. Install PostgreSQL's contrib modules there (the package postgresql-contrib). Check DATABASE_URL.`,
    );
}
