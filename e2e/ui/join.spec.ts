import type { Locator, Page } from "@playwright/test";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, type EventRef, type TestWorld } from "#e2e/support/world.ts";
import {
  expect,
  expectNoSidewaysScroll,
  expectUsableFromNarrowestPhone,
  PHONE,
  signInWithContext,
  test,
} from "./support/test.ts";
import { readHtml } from "./support/opened.ts";

/** People who report at an event that never invited them. */

test.use({ viewport: PHONE });

const findTop = async (element: Locator): Promise<number> => (await element.boundingBox())?.y ?? NaN;

const STORY = "Someone kept following me from one hall to the next.";

/** An event that anyone with an account may report at, and nobody without one, with ada as its Admin. */
async function openEvent(world: TestWorld, settings: object = { withoutAccount: false }): Promise<EventRef> {
  const event = await world.newEvent(world.organization, "Harbor open day");
  await world.grant(world.ada, event, "Admin");
  const path = `/api/events/slug/${event.slug}/report-settings`;
  expect((await world.as(world.ada).patch(path, settings)).status).toBe(200);
  return event;
}

const storyField = (page: Page) => page.getByLabel("In your own words");
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

const membersOf = (world: TestWorld, event: EventRef) =>
  world.service.sql<{ name: string; role: string }>(
    `select u.name, r.role_name::text as role from event_roles r join users u on u.id = r.user_id
     where r.event_id = $1 and u.id <> $2 order by u.name`,
    [event.id, world.ada.id],
  );

const reportsOf = async (world: TestWorld, event: EventRef) =>
  (await world.as(world.ada).get(`/api/events/${event.id}/incidents`)).body.incidents;

/** From the event's page over the sign-in to a new account, and straight on to the form. */
async function registerOnTheWay(page: Page, event: EventRef, name: string): Promise<void> {
  await page.goto(`/e/${event.slug}`);
  await expect(page.getByText("You need an account: sign in, or create one")).toBeVisible();
  await page.getByRole("link", { name: "Report something that happened" }).click();
  await expect(page.getByText(`Reporting at ${event.name}`)).toBeVisible();
  await page.getByRole("link", { name: "Create an account" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Create an account" })).toBeVisible();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Email").fill(`${generateUniqueWord()}@example.org`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Create account");
  await page.waitForURL(`/e/${event.slug}/report`);
}

async function writeAndSend(page: Page, { anonymous = false } = {}): Promise<void> {
  await press(page, "Start");
  await storyField(page).fill(STORY);
  for (const step of ["When, where and who", "Photos and files", "Your name and contact"]) {
    await press(page, "Continue");
    await expect(page.getByRole("heading", { level: 2, name: step })).toBeFocused();
  }
  if (anonymous) await page.getByLabel("Leave my name out").check();
  await press(page, "Continue");
  await expect(page.getByRole("heading", { level: 2, name: "Check and send" })).toBeFocused();
  await press(page, "Send report");
  await expect(page).toHaveURL(anonymous ? /\/mailbox$/ : /\/report\/sent/);
}

test("an attendee without an invite or an account reports with their name, and follows the report", async ({
  page,
  world,
}) => {
  const event = await openEvent(world);
  await registerOnTheWay(page, event, "Noor Attendee");
  await expect(page.getByText("you also become a member of this event")).toBeVisible();
  await expect(page.getByText("No one is on it yet")).toHaveCount(0);
  // Having opened the form, they are no member.
  expect(await membersOf(world, event)).toEqual([]);
  await writeAndSend(page);
  expect(await membersOf(world, event)).toEqual([{ name: "Noor Attendee", role: "Reporter" }]);
  expect(await reportsOf(world, event)).toMatchObject([
    { description: STORY, reporter: { name: "Noor Attendee" } },
  ]);
  await page.getByRole("link", { name: "View your report" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Report of \d/);
});

test("an attendee without an invite leaves their name out, and is a member of nothing", async ({
  page,
  context,
  world,
}) => {
  const event = await openEvent(world);
  await signInWithContext(context, world, await world.person("Quiet Attendee"));
  await page.goto(`/e/${event.slug}/report`);
  await writeAndSend(page, { anonymous: true });
  expect(await membersOf(world, event)).toEqual([]);
  const [report] = await reportsOf(world, event);
  expect(report).toMatchObject({ description: STORY, reporterId: null, reporter: null });
  await page.goto(`/e/${event.slug}`);
  await expect(page.getByRole("button", { name: "Join this event" })).toBeVisible();
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("an attendee registers on the way, is refused once, and sends every word they wrote", async ({
    page,
    world,
  }) => {
    const event = await openEvent(world);
    await registerOnTheWay(page, event, "Plain Attendee");
    await storyField(page).fill(STORY);
    await page.getByLabel("Short title").fill("Too short");
    await page.getByLabel("Where it happened").fill("Hall 4");
    await press(page, "Send report");
    await expect(page.getByRole("alert").first()).toContainText("10 to 70 characters");
    await expect(storyField(page)).toHaveValue(STORY);
    expect(await membersOf(world, event)).toEqual([]);
    await page.getByLabel("Short title").fill("Followed from hall to hall");
    await press(page, "Send report");
    await expect(page).toHaveURL(/\/report\/sent\?id=/);
    expect(await membersOf(world, event)).toEqual([{ name: "Plain Attendee", role: "Reporter" }]);
    expect(await reportsOf(world, event)).toMatchObject([{ description: STORY, location: "Hall 4" }]);
  });

  test("an attendee whose session ends while they write signs in again and sends without their name", async ({
    page,
    context,
    world,
  }) => {
    const event = await openEvent(world);
    const person = await world.person("Slow Writer");
    await signInWithContext(context, world, person);
    await page.goto(`/e/${event.slug}/report`);
    await storyField(page).fill(STORY);
    await page.getByLabel("Leave my name out").check();
    await world.service.sql("delete from sessions where user_id = $1", [person.id]);
    await press(page, "Send report");
    await expect(page).toHaveURL(/\/login/);
    await page.getByLabel("Email").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Sign in");
    await expect(storyField(page)).toHaveValue(STORY);
    await expect(page.getByLabel("Leave my name out")).toBeChecked();
    await press(page, "Send report");
    await expect(page).toHaveURL(/\/mailbox$/);
    expect(await membersOf(world, event)).toEqual([]);
    expect(await reportsOf(world, event)).toMatchObject([{ description: STORY, reporter: null }]);
  });

  test("somebody who wants the event in their account joins it with one press", async ({
    page,
    context,
    world,
  }) => {
    const event = await openEvent(world);
    const person = await world.person("Early Bird");
    await signInWithContext(context, world, person);
    await page.goto(`/e/${event.slug}`);
    await press(page, "Join this event");
    await expect(page.getByRole("status")).toHaveText("You’re a member of this event.");
    await expect(page.getByRole("button", { name: "Join this event" })).toHaveCount(0);
    expect(await membersOf(world, event)).toEqual([{ name: "Early Bird", role: "Reporter" }]);
  });
});

test("an attendee of an event that is over learns at sign-in who can still report, and then whom to write to", async ({
  page,
  signIn,
  world,
}) => {
  const event = await openEvent(world);
  const api = `/api/events/slug/${event.slug}`;
  await world.as(world.ada).patch(api, { isActive: false, contactEmail: "care@harbor.example.org" });
  const login = await readHtml(page, `/login?next=${encodeURIComponent(`/e/${event.slug}/report`)}`);
  expect(login).toContain("This event is over");
  expect(login).toMatch(/>Only members of [^.]* can still report\. If you’re one of them, sign in\./);
  await signIn(world.nora);
  await page.goto(`/e/${event.slug}`);
  await expect(page.getByText("Only members can still report here.")).toBeVisible();
  await page.getByRole("link", { name: "Report something that happened" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This event is over");
  await expect(page.getByRole("link", { name: "care@harbor.example.org" })).toBeVisible();
  await expectUsableFromNarrowestPhone(page);
});

test("an Admin lets only invited people report", async ({ page, signIn, world }) => {
  const event = await openEvent(world);
  await signIn(world.ada);
  await page.goto(`/e/${event.slug}/settings`);
  const who = page.getByRole("group", { name: "Who can report" });
  await expect(who.getByLabel("Anyone with an account")).toBeChecked();
  await who.getByLabel("Only people with an invite").check();
  await page.getByLabel("Let search engines find this page").uncheck();
  const settings = page.getByRole("form", { name: "Reporting", exact: true });
  await settings.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Anyone who opens the report form from now on")).toBeVisible();
  const { body } = await world.nobody.get(`/api/events/${event.id}/report-settings`);
  expect(body.reportSettings).toMatchObject({ whoCanReport: "invite", searchEngines: false });
  await signIn(world.nora);
  const refusal = await readHtml(page, `/e/${event.slug}/report`);
  expect(refusal).toMatch(/<h1[^>]*>You’re not a member of this event yet</);
});

test("where reporting takes no account, no page on the way asks for one or ends without saying so", async ({
  page,
  signIn,
  world,
}) => {
  const open = await openEvent(world, { withoutAccount: true });
  const byInvite = await openEvent(world, { whoCanReport: "invite" });
  const over = await openEvent(world, { withoutAccount: true });
  await world.as(world.ada).patch(`/api/events/slug/${over.slug}`, { isActive: false });
  const without = page.getByRole("link", { name: "Report without an account" });
  // The pages differ in their words only, so one of them stands for the others.
  const expectFits = async ({ checkAccess }: { checkAccess: boolean }) => {
    if (checkAccess) return expectUsableFromNarrowestPhone(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
  };
  for (const [event, rule] of [
    [open, "If you have an account, sign in first"],
    [byInvite, "To report with an account, you have to be a member of this event."],
    [over, "To report with an account, you now have to be a member of this event."],
  ] as const) {
    await page.goto(`/e/${event.slug}`);
    await expect(page.getByText(rule)).toBeVisible();
    await expect(page.getByText(/You need an|Only members of|Only members can/)).toHaveCount(0);
    const straight = page.getByRole("link", { name: "Report something that happened" });
    await expect(straight).toHaveAttribute("href", `/e/${event.slug}/report?without=account`);
    await page.getByRole("link", { name: "Report with an account" }).click();
    for (const title of ["Sign in", "Create an account"]) {
      await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
      await expect(page.getByText("You don’t need an account.")).toBeVisible();
      await expect(page.getByText(/need an account to report\.|you need an invite/)).toHaveCount(0);
      await expect(without).toHaveAttribute("href", `/e/${event.slug}/report?without=account`);
      await expect(page.getByText("your session has ended")).toHaveCount(0);
      const heading = page.getByRole("heading", { level: 1, name: title });
      expect(await findTop(without)).toBeLessThan(await findTop(heading));
      if (title === "Sign in") await page.getByRole("link", { name: "Create an account" }).click();
    }
    await expectFits({ checkAccess: event === open });
  }
  await signIn(world.nora);
  for (const event of [byInvite, over]) {
    await page.goto(`/e/${event.slug}/report`);
    await expectFits({ checkAccess: event === byInvite });
    await without.click();
    await page.getByRole("button", { name: "Start" }).click();
    await expect(storyField(page)).toBeVisible();
  }
});

test("the page of an open event and its form can be used by somebody without a role", async ({
  page,
  signIn,
  world,
}) => {
  const event = await openEvent(world);
  await signIn(world.nora);
  for (const path of [`/e/${event.slug}`, `/e/${event.slug}/report`]) {
    await page.goto(path);
    await expectUsableFromNarrowestPhone(page);
  }
});
