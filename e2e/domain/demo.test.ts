import { expect, test } from "vitest";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { COMMAND_PASSWORD_HASHING_LANE } from "#lib/accounts/hash-pool.ts";
import { findRecordIfPasswordMatches } from "#lib/accounts/passwords.ts";
import { prisma } from "#lib/database/client.ts";

const { DATABASE_URL = "", HEED_DATA_DIR = "" } = process.env;
const settings = { DATABASE_URL, HEED_DATA_DIR };

test("the demo refuses a production installation, and changes nothing in it", async () => {
  const { code, output } = await spawnProjectCommand("demo", [], {
    ...settings,
    BASE_URL: "https://heed.example.org",
  });
  expect([code, output]).toEqual([1, expect.stringContaining("npm run demo -- --yes")]);
  expect(await prisma.user.count()).toBe(0);
});

test("the demo prints a password that it made for this run, and with --yes fills a production installation", async () => {
  const BASE_URL = "https://heed.example.org";
  const { code, output } = await spawnProjectCommand("demo", ["--yes"], { ...settings, BASE_URL });
  expect(code, output).toBe(0);
  const password = /The password of all of them: ([\w-]{16})$/m.exec(output)?.[1] ?? "";
  const users = await prisma.user.findMany({ select: { passwordHash: true } });
  const has = (given: string) =>
    findRecordIfPasswordMatches(given, async () => users[0] ?? null, COMMAND_PASSWORD_HASHING_LANE);
  expect(users.length).toBeGreaterThan(10);
  expect(await has(password)).toBe(users[0]);
  expect(await has("a lantern in the harbour")).toBeNull();
  const [awaiting] = await prisma.$queryRaw<{ team: number }[]>`
    select count(*)::int as team from incidents
    where message_after_closing or (state not in ('resolved', 'closed') and last_message_from = 'reporter')`;
  expect(awaiting?.team).toBeGreaterThan(0);
  expect(awaiting?.team).toBeLessThanOrEqual(10);
}, 240_000);
