import type { Browser, Locator, Page } from "@playwright/test";
import type { TestPerson, ReportRecord, TestWorld } from "#e2e/support/world.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  LAPTOP,
  PHONE,
  signInWithContext,
  test,
} from "./support/test.ts";
import { openLiveReport } from "./support/opened.ts";

/** What is due and whose answer is waited for; the way from report to report; all that match; who else is there. */

/** Reports that nothing else in the event is called like, newest first; and the list of just these. */
async function listOf(
  world: TestWorld,
  word: string,
  count: number,
): Promise<{ path: string; reports: ReportRecord[] }> {
  const reports: ReportRecord[] = [];
  for (let n = 1; n <= count; n += 1)
    reports.unshift(await world.report(world.maya, world.event, { title: `${word} report number ${n}` }));
  return { path: `/e/${world.event.slug}/incidents?search=${word}`, reports };
}

const row = (page: Page, { title }: ReportRecord) => page.getByRole("listitem").filter({ hasText: title });
const heading = (page: Page, { title }: ReportRecord) => page.getByRole("heading", { name: title, level: 1 });
const severityOf = async (world: TestWorld, { id }: ReportRecord) =>
  (await world.as(world.ada).get(`/api/events/${world.event.id}/incidents/${id}`)).body.incident.severity;

/** Presses until keys are heard: j itself would lead too far where the first press was heard late. */
const openSheet = (sheet: Locator) =>
  expect(async () => {
    await sheet.page().keyboard.press("?");
    await expect(sheet).toBeVisible({ timeout: 1000 });
  }).toPass();

test("on a report's page keys pin and assign it, j and k move through its list, the shortcut sheet turns them off, and Escape returns to the list, unless there is unsent text", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await listOf(world, "Valerian", 3);
  const [first, second, third] = reports as [ReportRecord, ReportRecord, ReportRecord];
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  const list = new RegExp(`${world.event.slug}/incidents\\?search=Valerian`);
  await signIn(world.omar);
  await page.goto(path);
  await row(page, first).getByRole("link").click();
  await expect(heading(page, first)).toBeVisible();
  await openSheet(sheet);
  await expect(sheet).toContainText("On an incident’s page");
  await expect(sheet).toContainText("Back to list");
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await page.keyboard.press("p");
  await expect(page.getByRole("button", { name: `Pin “${first.title}”`, pressed: true })).toBeVisible();
  await page.keyboard.press("a");
  await expect(page.getByText(`Assigned to ${world.omar.name}.`)).toBeVisible();

  await page.keyboard.press("j");
  await expect(heading(page, second)).toBeVisible();
  await page.keyboard.press("j");
  await expect(heading(page, third)).toBeVisible();
  await expect(page.getByText("This is the last incident in the list")).toBeAttached();
  await page.keyboard.press("k");
  await expect(heading(page, second)).toBeVisible();
  const note = page.getByRole("textbox", { name: "Note" });
  await note.fill("");
  await page.keyboard.type("jk");
  await expect(note).toHaveValue("jk");
  await note.blur();
  await test.step("Escape stays with unsent text, closes a menu first, and then returns to the list", async () => {
    await page.keyboard.press("Escape");
    await page.locator("summary", { hasText: /^More/ }).click();
    await page.keyboard.press("Escape");
    await note.fill("");
    await note.blur();
    await expect(heading(page, second)).toBeVisible();
    await page.locator("summary", { hasText: /^More/ }).click();
    await page.keyboard.press("Escape");
    await expect(page.locator("details[open] > summary", { hasText: /^More/ })).toHaveCount(0);
    await expect(heading(page, second)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(list);
  });

  await row(page, first).getByRole("link").click();
  await expect(heading(page, first)).toBeVisible();
  await openSheet(sheet);
  await expect(page.getByRole("button", { name: "Turn off single-key shortcuts" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Turn off single-key shortcuts" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(heading(page, first)).toBeVisible();
  // They are kept with the account, and other tests press keys as well.
  await world.as(world.omar).patch("/api/users/me/profile", { singleKeys: true });
  await page.setViewportSize(PHONE);
  await expectNoSidewaysScroll(page);
  await expect(heading(page, first), "also after a while").toBeVisible();
  await page.getByRole("link", { name: "Back to list" }).click();
  await expect(page).toHaveURL(list);

  await page.setViewportSize(LAPTOP);
  await page.goto(`/e/${world.event.slug}/i/${first.id}`);
  await page.keyboard.press("?");
  await expect(sheet).not.toContainText("Back to list");
});

test("after a confirmation all matching incidents are changed in parts, and unchanged ones are named", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await listOf(world, "Lovage", 3);
  await world.move(reports[2] as ReportRecord, "acknowledged");
  await signIn(world.omar);
  await page.goto(`${path}&limit=2`);
  const confirm = async (button: string) => {
    await row(page, reports[0] as ReportRecord)
      .getByRole("checkbox")
      .check();
    await page.getByLabel("Select all 3 matching").check();
    if (button === "Set") await page.getByRole("combobox", { name: "Severity" }).selectOption("Medium");
    await page.getByRole("button", { name: button, exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Change all 3 matching incidents?" });
    await expect(dialog).toBeVisible();
    return dialog;
  };
  await (await confirm("Set")).getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await severityOf(world, reports[0] as ReportRecord)).toBeNull();
  const applyDialog = await confirm("Acknowledge");
  await expectAccessible(page);
  await applyDialog.getByRole("button", { name: "Apply changes" }).click();
  await expect(page.getByText("2 incidents were changed.")).toBeVisible();
  await expect(page.getByText(`${reports[2]?.title}: it has already had a first response.`)).toBeVisible();
  await expect(row(page, reports[0] as ReportRecord)).toContainText("Acknowledged");
  await (await confirm("Set")).getByRole("button", { name: "Apply changes" }).click();
  await expect(page.getByText("3 incidents were changed.")).toBeVisible();
  for (const report of reports) expect(await severityOf(world, report)).toBe("medium");
});

/** The page of a report in a browser of its own, before somebody else's eyes. */
async function elsewhere(
  { browser, world }: { browser: Browser; world: TestWorld },
  person: TestPerson,
  path: string,
) {
  const context = await browser.newContext({ baseURL: process.env.HEED_UI_URL ?? "" });
  await signInWithContext(context, world, person);
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

const othersOn = (page: Page) => page.getByRole("list", { name: "Who else is here" });
/** A page announces its person every 20 seconds, and learns who else is there: that makes up for what it missed. */
const NEXT_ANNOUNCEMENT = { timeout: 30_000 };

test("team members see who else reads or writes, and the reporter sees nobody; a list that arrives late doesn’t bring back somebody who has left", async ({
  page,
  signIn,
  browser,
  world,
}) => {
  const report = await openLiveReport({ page, signIn, world });
  const path = `/e/${world.event.slug}/i/${report.id}`;
  const ada = await elsewhere({ browser, world }, world.ada, path);
  const maya = await elsewhere({ browser, world }, world.maya, path);
  await expect(othersOn(page)).toContainText(`${world.ada.name} is viewing`, NEXT_ANNOUNCEMENT);
  await expect(othersOn(ada)).toContainText(`${world.omar.name} is viewing`, NEXT_ANNOUNCEMENT);
  await expectAccessible(page);
  await expect(async () => {
    await ada.getByRole("textbox", { name: "Note" }).fill("");
    await ada.getByRole("textbox", { name: "Note" }).pressSequentially("Has anybody");
    await expect(othersOn(page)).toContainText(`${world.ada.name} is writing`, { timeout: 2000 });
  }).toPass();
  await expect(maya.getByText("is viewing")).toHaveCount(0);
  await expect(maya.getByText("is writing")).toHaveCount(0);

  const [fetched, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/presence", async (route) => {
    const response = await route.fetch();
    fetched.resolve();
    await left.promise;
    await route.fulfill({ response });
  });
  const late = page.waitForResponse("**/presence");
  await page.getByRole("form", { name: "Team note" }).getByLabel("Note").pressSequentially("My");
  await fetched.promise;
  await ada.goto("about:blank");
  // Without the news that she has left, she would stay for at least 25 seconds: 45 from her last announcement.
  await expect(othersOn(page).getByRole("listitem")).toHaveCount(0, { timeout: 20_000 });
  left.resolve();
  await (await late).finished();
  await page.waitForTimeout(500);
  // Without waiting: the next announcement brings a list without her.
  expect(await othersOn(page).getByRole("listitem").count()).toBe(0);
  // An announcement may be on its way while the test ends.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  for (const other of [ada, maya]) await other.context().close();
});
