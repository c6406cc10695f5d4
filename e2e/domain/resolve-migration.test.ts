import { beforeEach, expect, test } from "vitest";
import { sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { migrate } from "#lib/database/migrate.ts";
import { spawnProjectCommand } from "#e2e/support/command.ts";

/** A migration that another tool broke off: the start refuses and names the command that ends it. */

let name = "";

const url = () => env().DATABASE_URL ?? "";
const start = () => migrate(url(), () => {});
const resolve = (...args: string[]) =>
  spawnProjectCommand("resolve-migration", args, { DATABASE_URL: url() });

beforeEach(async () => {
  const [row] = await sql.$queryRaw<{ name: string }[]>`
    update _prisma_migrations set finished_at = null, rolled_back_at = null
    where migration_name = (select max(migration_name) from _prisma_migrations) returning migration_name as name`;
  name = row?.name ?? "";
});

test("a start refuses it with the command, and goes on once it counts as applied", async () => {
  await expect(start()).rejects.toThrow(
    `node lib/scripts/resolve-migration.ts --name ${name} --as undone (or --as applied)`,
  );
  const { code, output } = await resolve("--name", name, "--as", "applied");
  expect([code, output]).toEqual([0, `The migration ${name} counts as applied. Start the service.\n`]);
  await start();
});

test("one that counts as undone is applied at the next start", async () => {
  expect((await resolve("--name", name, "--as", "undone")).code).toBe(0);
  const applied: string[] = [];
  await migrate(url(), (line) => applied.push(line)).catch(() => {});
  expect(applied).toEqual([`Updating the database: ${name}.`]);
});

test("a migration that is not half done, and words it doesn't know, change nothing", async () => {
  const other = await resolve("--name", "00000000000000_nothing", "--as", "applied");
  expect([other.code, other.output]).toEqual([
    1,
    "No migration named 00000000000000_nothing is half done in this database. Nothing was changed.\n",
  ]);
  expect((await resolve("--name", name, "--as", "done")).code).toBe(2);
  await expect(start()).rejects.toThrow("broken off halfway");
});
