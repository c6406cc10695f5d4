import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { MIGRATIONS_FOLDER } from "#lib/database/migrate.ts";

/** prisma/functions holds the current text of what the migrations created. */

const FOLDER = path.resolve(MIGRATIONS_FOLDER, "../functions");
const FILES = fs.readdirSync(FOLDER).sort();

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
afterAll(() => client.end());

/** All but those of extensions and of constraints. */
const FUNCTIONS = `select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition from pg_proc p
  where p.pronamespace = 'public'::regnamespace
    and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;
const TRIGGERS = `select format('%s on %s', t.tgname, t.tgrelid::regclass) as name,
    format('%s, enabled: %s', pg_get_triggerdef(t.oid), t.tgenabled) as definition from pg_trigger t
  join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'public'::regnamespace and not t.tgisinternal`;

async function readDefinitions(): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `${FUNCTIONS} union all ${TRIGGERS} order by 1`,
  );
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

async function dropFunctions(): Promise<void> {
  const { rows } = await client.query<{ name: string }>(FUNCTIONS);
  await client.query(`drop function ${rows.map(({ name }) => name).join(", ")} cascade`);
}

async function runFiles(): Promise<void> {
  for (const file of FILES) await client.query(fs.readFileSync(path.join(FOLDER, file), "utf8"));
}

test("the files of prisma/functions make every function and trigger that the migrations made", async () => {
  const migrated = await readDefinitions();
  expect(migrated.size).toBeGreaterThan(25);
  await client.query("begin");
  try {
    await dropFunctions();
    expect(await readDefinitions()).toEqual(new Map());
    await runFiles();
    expect(await readDefinitions()).toEqual(migrated);
    // A migration carries a file as it is: over what is there, it has to run as well.
    await runFiles();
    expect(await readDefinitions()).toEqual(migrated);
  } finally {
    await client.query("rollback");
  }
});
