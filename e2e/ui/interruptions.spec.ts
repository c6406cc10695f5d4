import type { BrowserContext, Page } from "@playwright/test";
import { createPhoto } from "#e2e/support/evidence.ts";
import type { TestWorld } from "#e2e/support/world.ts";
import { openOtherMailboxIn, openMailboxIn, showReceiptIn } from "./support/opened.ts";
import {
  dispatchVisibilityChange,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  PHONE,
  test,
  waitForHydration,
  waitForScript,
} from "./support/test.ts";

/** What becomes of words in a mailbox when the connection, the page or its half hour goes. */

test.use({ viewport: PHONE });

const OFFLINE = "Not sent: you’re offline. What you wrote is still here.";
const NO_ANSWER = "There was no response, so we can’t tell whether this arrived.";
const STORY = "He waited at the tram, again.";

const PATH = "/mailbox";

type Opening = { page: Page; context: BrowserContext; world: TestWorld };

/** A reported person has the same page, whose own part is tested over HTTP. */
const BOX = {
  open: openMailboxIn,
  field: "Message to the response team",
  send: "Send",
  entry: "Your seven words",
  leave: "Lock on this device",
  leaveUnsent: "Lock without sending",
} as const;

type Box = typeof BOX;

const photo = async () => ({ name: "wall.jpg", mimeType: "image/jpeg", buffer: await createPhoto() });
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const countFiles = (page: Page) =>
  page.getByLabel("Add files").evaluate(({ files }: HTMLInputElement) => files?.length);

/** Opens one on the device and writes into its form, without sending. */
async function openAndWrite({ page, context, world }: Opening, box: Box): Promise<void> {
  await box.open(context, world);
  await page.goto(PATH);
  await page.getByLabel(box.field).fill(STORY);
}

/** The browser shows a page of its own then, and "Back" leads to the words again. */
async function expectBackAfterLostConnection(page: Page, { field, send }: Box): Promise<void> {
  await page.context().setOffline(true);
  await press(page, send);
  await expect(page).toHaveURL(/^chrome-error:/);
  await page.context().setOffline(false);
  await page.goBack();
  await expect(page.getByLabel(field)).toHaveValue(STORY);
}

/** From right to left, in the colors of a page that other journeys check. */
async function expectFits(page: Page): Promise<void> {
  await expectStructureAccessible(page);
  await expectNoSidewaysScroll(page);
}

const alertIn = (page: Page) => page.getByRole("form").getByRole("alert");

/** What is written stays when it is sent without a connection, and in another language. */
async function expectPreservedOffline(page: Page, box: Box): Promise<void> {
  const field = page.getByLabel(box.field);
  const alert = alertIn(page);
  await press(page, box.send);
  await expect(alert).toContainText("is missing");
  await field.fill(STORY);
  await page.getByLabel("Add files").setInputFiles(await photo());
  await page.context().setOffline(true);
  for (const button of [box.send, "Send files"]) {
    await press(page, button);
    await expect(alert.filter({ hasText: OFFLINE })).toBeFocused();
    await expect(field).toHaveValue(STORY);
    expect(await countFiles(page)).toBe(1);
  }
  await expectAccessible(page);
  await page.context().setOffline(false);
  await press(page, "Deutsch");
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect(page.locator("textarea[name=body]")).toHaveValue(STORY);
  await press(page, "English");
  await expect(field).toHaveValue(STORY);
}

/** The page finds that another one is open, and keeps what is unsent. */
async function expectPreservedBesideAnother(page: Page, box: Box): Promise<void> {
  const opened = page.waitForResponse(`**${PATH}/opened`);
  await dispatchVisibilityChange(page);
  await (await opened).finished();
  // The page reads the response before it looks for unsent text.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  await expect(page.getByLabel(box.field)).toHaveValue(STORY);
}

/** The page closes once another one is open, since nothing is written in it. */
async function expectClosedForAnother({ page, context, world }: Opening, box: Box): Promise<void> {
  await box.open(context, world);
  await waitForHydration(page);
  await page.getByLabel(box.field).fill("");
  await dispatchVisibilityChange(page);
  await expect(page.getByText("Nothing was sent or changed.")).toBeVisible();
  await expect(page.getByLabel(box.entry)).toBeVisible();
}

test("text written in a mailbox stays without a connection, and arrives once; a page without text closes once another one is open", async ({
  page,
  context,
  world,
}) => {
  const box = BOX;
  await box.open(context, world);
  await page.goto(PATH);
  const field = page.getByLabel(box.field);
  await expectPreservedOffline(page, box);
  await page.getByLabel("Add files").setInputFiles(await photo());
  await page.route(`**${PATH}/add?*`, async (route) => void (await route.fetch(), route.abort()), {
    times: 1,
  });
  await press(page, box.send);
  await expect(alertIn(page).filter({ hasText: NO_ANSWER })).toBeFocused();
  await expect(field).toHaveValue(STORY);
  expect(await countFiles(page)).toBe(1);
  await press(page, box.send);
  await expect(page.getByText(STORY, { exact: true })).toBeVisible();
  await expect(field).toHaveValue("");
  await expect(page.getByRole("link", { name: /\.jpg/ })).toHaveCount(1);
  await page.goBack();
  await expect(page.getByText(STORY, { exact: true })).toHaveCount(1);
  await expectClosedForAnother({ page, context, world }, box);
});

test("text written in a mailbox isn't sent to another one opened meanwhile; locking one tab asks first and locks the others; unsent text stays after the session expires", async ({
  page,
  context,
  world,
}) => {
  const box = BOX;
  await openAndWrite({ page, context, world }, box);
  await box.open(context, world);
  await expectPreservedBesideAnother(page, box);
  const other = await context.newPage();
  waitForScript(other);
  await other.goto(PATH);
  await press(page, box.send);
  await expect(page.getByText("Nothing was sent or changed.")).toBeVisible();
  await expect(page.getByText(STORY)).toBeVisible();
  await expect(page.getByLabel(box.entry)).toBeVisible();
  await expectAccessible(page);
  // The words appear in no page of the other one.
  await page.goBack();
  for (const shown of [page, other]) {
    await expect(shown.getByLabel(box.field)).toHaveValue("");
    await expect(shown.getByText(STORY)).toHaveCount(0);
    await waitForHydration(shown);
  }

  // The other one is locked only after a question while something is written in it.
  await other.getByLabel(box.field).fill(STORY);
  await press(other, box.leave);
  await expect(other.getByText(/You haven’t sent your message/).first()).toBeVisible();
  await expectAccessible(other);
  await other.getByRole("button", { name: "Keep writing" }).click();
  await expect(other.getByLabel(box.field, { exact: true })).toHaveValue(STORY);
  await press(other, box.leave);
  await press(other, box.leaveUnsent);
  await expect(other.getByLabel(box.entry)).toBeVisible();
  await expect(other.getByText(STORY)).toHaveCount(0);
  await expect(page.getByLabel(box.entry)).toBeVisible();
  await page.goBack().catch(() => null);
  await expect(page.getByLabel(box.field)).toHaveCount(0);

  await openAndWrite({ page, context, world }, box);
  await context.clearCookies({ name: "mailbox" });
  await press(page, box.send);
  await expect(page.getByLabel(box.entry)).toBeVisible();
  await expect(page.getByText(STORY)).toBeVisible();
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("text written in a mailbox comes back after a lost connection, files and another button", async ({
    page,
    context,
    world,
  }) => {
    const box = BOX;
    await box.open(context, world);
    await page.goto(PATH);
    const field = page.getByLabel(box.field);
    await field.fill(STORY);
    await expectBackAfterLostConnection(page, box);
    await page.getByLabel("Add files").setInputFiles(await photo());
    await press(page, "Send files");
    await expect(page.getByRole("link", { name: /\.jpg/ })).toBeVisible();
    await expect(field).toHaveValue(STORY);
    await page.getByText("Withdraw report…").click();
    await press(page, "Withdraw report");
    await expect(page.getByText(/You withdrew this report/)).toBeVisible();
    await expect(field).toHaveValue(STORY);
    await expectBackAfterLostConnection(page, box);
    const address = page.url();
    await context.clearCookies({ name: "mailbox" });
    await press(page, box.send);
    await expect(page.getByLabel(box.entry)).toBeVisible();
    await expect(page.getByText(STORY)).toBeVisible();
    // Whoever comes later finds nothing at the same addresses.
    for (const seen of [page.url(), address]) {
      await page.goto(seen);
      await expect(page.getByText(STORY)).toHaveCount(0);
    }
  });
});

test.describe("in Arabic", () => {
  test.use({ locale: "ar" });

  test("a mailbox is read from right to left, whoever has it", async ({ page, context, world }) => {
    await page.goto(PATH);
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
    await expectFits(page);
    const [first] = (await showReceiptIn(context, world)).split(" ");
    await page.goto(PATH);
    // The words are English, from left to right, in a page that isn't.
    await expect(page.locator("ol[dir=ltr] li").first()).toHaveText(`1${first}`);
    await expectFits(page);
    for (const open of [openMailboxIn, openOtherMailboxIn]) {
      await open(context, world);
      await page.goto(PATH);
      await expect(page.getByRole("heading", { level: 1 })).not.toHaveText(/[a-z]{3}/i);
      await expectFits(page);
    }
  });
});
