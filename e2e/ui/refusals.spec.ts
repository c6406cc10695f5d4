import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { cloneDatabase, spawnTestServer, type TestDatabase } from "#e2e/support/database.ts";
import { type RunningProcess, startProcess } from "#e2e/support/process.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import {
  checkEach,
  expect,
  expectAccessible,
  expectAccessibleInEachTheme,
  expectNoSidewaysScroll,
  PHONE,
  test,
} from "./support/test.ts";

/** What a page says when it can't be shown, with the status that belongs to it. */

const NOWHERE = "Page not found";
test("pages of refusals can be read by everybody, and while there is no connection, the page says that what was typed stays", async ({
  page,
  context,
  signIn,
  world,
}) => {
  await signIn(world.maya);
  await checkEach(["/e/an-event-of-nobody", "/styleguide?fail=1"], async (address) => {
    await page.goto(address);
    await expectAccessibleInEachTheme(page);
  });
  await page.goto("/account");
  const notice = page.getByRole("status").filter({ hasText: "You’re offline." });
  await expect(notice).toHaveCount(0);
  await context.setOffline(true);
  await expect(notice).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(notice).toHaveCount(0);
});

test("a link that is followed with script shows the same page", async ({ page, signIn, world }) => {
  // Sam sees those of all workers: the name must be its own.
  const organization = await world.newOrganization(`Short-lived ${generateUniqueWord()}`);
  await signIn(world.sam);
  await page.goto("/orgs?search=" + encodeURIComponent(organization.name));
  await page.evaluate(() => Object.assign(window, { stayed: true }));
  await world.as(world.sam).delete(`/api/organizations/${organization.id}`);
  await page.getByRole("link", { name: organization.name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: NOWHERE })).toBeVisible();
  expect(await page.evaluate(() => "stayed" in window)).toBe(true);
});

test("what is wrong with the filters of an address can be read by everybody", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.omar);
  await page.goto(`/inbox?search=${"x".repeat(201)}`);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.goto("/inbox?status=bogus&severity=high&due=none");
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await page.goto(`/inbox?due=${"y".repeat(500)}`);
  await expectNoSidewaysScroll(page);
});

test.describe("while the database can't be reached", () => {
  test.use({ javaScriptEnabled: false });

  let database: TestDatabase;
  let heed: RunningProcess;
  // With more than the time of a test for itself: PostgreSQL is set up and migrated, and the service starts.
  test.beforeAll(async () => {
    test.setTimeout(360_000);
    database = await spawnTestServer({ build: false });
    const { url } = await cloneDatabase(database.url);
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-data-"));
    heed = await startProcess({ DATABASE_URL: url, HEED_DATA_DIR: dataDir });
  });
  test.afterAll(async () => {
    await heed.stop();
    await database.close();
    fs.rmSync(heed.dataDir, { recursive: true, force: true });
  });

  test("the pages say so without script", async ({ page }) => {
    const at = (address: string) => new URL(address, heed.url).href;
    await page.goto(at("/register"));
    await page.getByLabel("Name").fill("Sam");
    await page.getByLabel("Email").fill("sam@example.org");
    await page.getByLabel("Password", { exact: true }).fill("a quiet river at dawn");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL(/\/orgs/);
    await database.close();
    for (const address of ["/orgs", "/inbox", "/", "/login"]) {
      const response = await page.goto(at(address));
      expect(response?.status()).toBe(503);
      await expect(
        page.getByRole("heading", { level: 1, name: "This page is temporarily unavailable" }),
      ).toBeVisible();
      expect(Number(response?.headers()["retry-after"])).toBeGreaterThan(0);
      await expect(page.getByRole("link", { name: "Try again" })).toHaveAttribute("href", address);
    }
  });
});
