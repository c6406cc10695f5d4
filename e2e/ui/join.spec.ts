import type { Page } from "@playwright/test";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, type EventRef, type TestWorld } from "#e2e/support/world.ts";
import { expect, PHONE, test } from "./support/test.ts";

/** People who report at an event that never invited them. */

test.use({ viewport: PHONE });

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
