import type { Page, Route } from "@playwright/test";
import type { EventRef, TestWorld } from "#e2e/support/world.ts";
import { createPng } from "#e2e/support/evidence.ts";
import { expect, expectUsable, PHONE, test } from "./support/test.ts";

/** A report that is sent twice is one report, and who sent it ends on the page that says so (docs/decisions/024). */

test.use({ viewport: PHONE });

const INCIDENTS = "**/api/events/slug/*/incidents";
const STORY = "Someone kept interrupting and shouted at me in the workshop.";
const MORE = "And it went on outside.";

const storyField = (page: Page) => page.getByLabel("In your own words");
const sendIt = (page: Page) => page.getByRole("button", { name: "Send report" }).click();
const alert = (page: Page) => page.getByRole("alert").first();
const first = (page: Page) => page.getByRole("link", { name: "Open the report we received" });

/** An event of its own, at which maya reports. */
async function createOpenEvent(world: TestWorld): Promise<EventRef> {
  const event = await world.newEvent(world.organization, "Lakeside open day");
  await world.grant(world.maya, event, "Reporter");
  await world.grant(world.ada, event, "Admin");
  return event;
}

/** What the team has, oldest first. */
async function arrived(world: TestWorld, event: EventRef): Promise<string[]> {
  const { body } = await world.as(world.ada).get(`/api/events/${event.id}/incidents?order=asc`);
  return body.incidents.map(({ description }: { description: string }) => description);
}

async function onwardTo(page: Page, last: string): Promise<void> {
  const there = page.getByRole("heading", { level: 2, name: last });
  while (!(await there.isVisible())) {
    const before = await page.locator("h2:visible").first().textContent();
    await page.getByRole("button", { name: /^(Continue|Start|Check report)/ }).click();
    await expect(page.locator("h2:visible").first()).not.toHaveText(before ?? "");
  }
  await expect(there).toBeFocused();
}

/** Writes the story and comes to the last step. */
async function write(page: Page, event: EventRef): Promise<void> {
  await page.goto(`/e/${event.slug}/report`);
  await onwardTo(page, "What happened");
  await storyField(page).fill(STORY);
  await onwardTo(page, "Check and send");
}

/** The service gets the next report, and its response gets lost. */
const loseAnswer = (page: Page) =>
  page.route(
    INCIDENTS,
    async (route: Route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );

test.describe("with script, a lost response", () => {
  test.beforeEach(async ({ signIn, world }) => signIn(world.maya));

  test("creates no second anonymous report of the same content, files included", async ({ page, world }) => {
    const event = await createOpenEvent(world);
    await page.goto(`/e/${event.slug}/report`);
    await onwardTo(page, "What happened");
    await storyField(page).fill(STORY);
    await onwardTo(page, "Photos and files");
    await page
      .getByLabel("Photos, recordings, documents")
      .setInputFiles({ name: "room.png", mimeType: "image/png", buffer: await createPng() });
    await onwardTo(page, "Your name and contact");
    await page.getByLabel("Leave my name out").check();
    await onwardTo(page, "Check and send");
    await loseAnswer(page);
    await sendIt(page);
    await expect(alert(page)).toContainText("Then send it again without changing anything");
    await sendIt(page);
    await expect(page).toHaveURL(/\/mailbox$/);
    expect(await arrived(world, event)).toEqual([STORY]);
  });

  test("creates no second report from a draft, or in another language", async ({ page, world }) => {
    const event = await createOpenEvent(world);
    await page.goto(`/e/${event.slug}/report`);
    await onwardTo(page, "What happened");
    await page.getByLabel("Save a draft on this device").check();
    await storyField(page).fill(STORY);
    await onwardTo(page, "Check and send");
    await loseAnswer(page);
    await sendIt(page);
    await expect(alert(page)).toContainText("Then send it again without changing anything");
    await page.reload();
    // The tab keeps what was written and where it was.
    await expect(page.getByRole("heading", { level: 2, name: "Check and send" })).toBeFocused();
    await page.getByRole("button", { name: "Deutsch" }).click();
    await expect(page.getByRole("heading", { level: 2, name: "Prüfen und senden" })).toBeFocused();
    await page.getByRole("button", { name: "English" }).click();
    await expect(page.getByRole("heading", { level: 2, name: "Check and send" })).toBeFocused();
    await sendIt(page);
    await expect(page).toHaveURL(/\/report\/sent\?id=/);
    await expect(page.getByRole("link", { name: "View your report" })).toBeVisible();
    expect(await arrived(world, event)).toEqual([STORY]);
  });

  test("links to the report after the text was changed, keeps the text, and sends it as another report", async ({
    page,
    world,
  }) => {
    const event = await createOpenEvent(world);
    await write(page, event);
    await loseAnswer(page);
    await sendIt(page);
    await expect(alert(page)).toContainText("Then send it again without changing anything");
    for (const step of [
      "Your name and contact",
      "Photos and files",
      "When, where and who",
      "What happened",
    ]) {
      await page.getByRole("button", { name: "Back" }).click();
      await expect(page.getByRole("heading", { level: 2, name: step })).toBeFocused();
    }
    await storyField(page).fill(`${STORY} ${MORE}`);
    await onwardTo(page, "Check and send");
    await sendIt(page);
    await expect(alert(page)).toContainText("we already have a different report from this form");
    await expect(alert(page)).toBeFocused();
    await expectUsable(page);
    const opened = page.context().waitForEvent("page");
    await first(page).click();
    const other = await opened;
    await expect(other.getByText(STORY, { exact: true })).toHaveCount(1);
    await other.close();
    expect(await arrived(world, event)).toEqual([STORY]);
    await sendIt(page);
    await expect(page).toHaveURL(/\/report\/sent\?id=/);
    expect(await arrived(world, event)).toEqual([STORY, `${STORY} ${MORE}`]);
  });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });
  test.beforeEach(async ({ signIn, world }) => signIn(world.maya));

  test("going back and pressing the same button again creates one report", async ({ page, world }) => {
    const event = await createOpenEvent(world);
    await page.goto(`/e/${event.slug}/report`);
    await storyField(page).fill(STORY);
    await sendIt(page);
    await expect(page).toHaveURL(/\/report\/sent\?id=/);
    const sent = page.url();
    await page.goBack();
    await expect(storyField(page)).toBeVisible();
    // A browser that has kept the form has kept its ticket, too; one that asks for it anew shows an empty one.
    const isRestored = (await storyField(page).inputValue()) === STORY;
    await sendIt(page);
    if (isRestored) await expect(page).toHaveURL(sent);
    else await expect(alert(page)).toContainText("Say what happened");
    expect(await arrived(world, event)).toEqual([STORY]);
  });
});
