import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engineModule from "@prisma/schema-engine-wasm/schema_engine_bg";
import { MIGRATIONS_FOLDER, migrate } from "#lib/database/migrate.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";

/**
 * `npm run migration -- add_comments`: writes a migration from the schema of the last migration, of which a copy is
 * stored next to the migrations, to the schema in prisma/schema.prisma. The schemas are compared, not databases, so
 * hand-written triggers, functions and indexes are never mistaken for leftovers to drop.
 */

const USAGE =
  "Name the migration in small letters: npm run migration -- add_comments. Add --empty for one that you write by hand; --check instead of a name checks those that exist.";

const SCHEMA = path.resolve(MIGRATIONS_FOLDER, "../schema.prisma");
/** Copy of the schema as of the newest migration; a new migration is the difference from it to `SCHEMA`. */
const MIGRATED_SCHEMA = path.join(MIGRATIONS_FOLDER, "schema.prisma");

/** Writes a migration and returns its folder; undefined when the schema hasn't changed and `empty` isn't set. */
async function createMigration(name: string, options: { empty?: boolean } = {}): Promise<string | undefined> {
  const target = fs.readFileSync(SCHEMA, "utf8");
  const sql = await withScratchDatabase(async (url) =>
    compareWithEngine(await createSchemaEngine(url), readLastSchema(), target),
  );
  if (!sql.trim() && !options.empty) return undefined;
  const folder = path.join(MIGRATIONS_FOLDER, `${formatTimestamp(new Date())}_${name}`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "migration.sql"), sql);
  fs.writeFileSync(MIGRATED_SCHEMA, target);
  return folder;
}

/**
 * Checks that the migrations match the schema: they apply to an empty database, and nothing is missing from them.
 * @throws Error that says what is wrong
 */
async function checkMigrationsMatchSchema(): Promise<void> {
  const missing = await withScratchDatabase(migrateAndBuildMissingSql);
  if (missing.trim())
    throw new Error(`prisma/schema.prisma has changes that no migration makes:\n${missing}`);
}

/** Applies the migrations to an empty database. @returns the SQL of the schema's changes that no migration makes */
async function migrateAndBuildMissingSql(url: string): Promise<string> {
  await migrate(url, () => {});
  return compareWithEngine(await createSchemaEngine(url), readLastSchema(), fs.readFileSync(SCHEMA, "utf8"));
}

/** Returns the SQL that changes one Prisma schema into another; blank if they are equal. */
async function compareWithEngine(
  engine: engineModule.SchemaEngine,
  from: string,
  to: string,
): Promise<string> {
  const container = (content: string) => ({
    tag: "schemaDatamodel" as const,
    files: [{ path: "schema.prisma", content }],
  });
  const { stdout } = await engine.diff({
    from: container(from),
    to: container(to),
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return /^\s*-- This is an empty migration/.test(stdout ?? "") ? "" : (stdout ?? "");
}

/** Returns the Prisma schema as of the newest migration. @throws Error when its copy, MIGRATED_SCHEMA, is missing */
function readLastSchema(): string {
  if (!fs.existsSync(MIGRATED_SCHEMA))
    throw new Error(`${MIGRATED_SCHEMA} is missing. It is a copy of the schema that the migrations lead to.`);
  return fs.readFileSync(MIGRATED_SCHEMA, "utf8");
}

/** Creates a temporary database and removes it at the end: the engine needs one even to compare two schemas. */
async function withScratchDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-scratch-"));
  const database = await startOrJoinEmbeddedPostgres({ dataDir }, () => {}, { fsync: false });
  try {
    return await work(database.url);
  } finally {
    await database.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

let engineModulePromise: Promise<typeof engineModule> | undefined;

async function createSchemaEngine(url: string): Promise<engineModule.SchemaEngine> {
  const { SchemaEngine } = await (engineModulePromise ??= loadEngine());
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: url }));
  return SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
}

/** Loaded once per process: the bindings keep views of the memory of the first instance. */
async function loadEngine(): Promise<typeof engineModule> {
  const entry = fileURLToPath(import.meta.resolve("@prisma/schema-engine-wasm"));
  const file = path.join(path.dirname(entry), "schema_engine_bg.wasm");
  const bindings = engineModule as unknown as WebAssembly.ModuleImports;
  const { instance } = await WebAssembly.instantiate(fs.readFileSync(file), {
    "./schema_engine_bg.js": bindings,
  });
  engineModule.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return engineModule;
}

function formatTimestamp(now: Date): string {
  return now.toISOString().replace(/\D/g, "").slice(0, 14);
}

if (import.meta.main) {
  const [name, flag] = process.argv.slice(2);
  if (name === "--help") console.log(USAGE);
  else if (name === "--check")
    await checkMigrationsMatchSchema().then(
      () => console.log("The migrations match the schema."),
      reportError,
    );
  else if (name && /^[a-z0-9_]{3,60}$/.test(name))
    await createMigration(name, { empty: flag === "--empty" }).then(printResult, reportError);
  else reportError(new Error(USAGE));
}

function printResult(folder: string | undefined): void {
  console.log(
    folder
      ? `Wrote ${path.relative(process.cwd(), folder)}/migration.sql.`
      : "The schema has not changed since the last migration.",
  );
}

function reportError(error: Error): void {
  console.error(error.message);
  process.exitCode = 1;
}
