import type { TestWorld } from "#e2e/support/world.ts";
import { expect, expectAccessible, expectUsable, test } from "./support/test.ts";
import { readHtml } from "./support/opened.ts";

/** What people were told of, and how they choose what they are told of. */

/**
 * Somebody on the team of an event of their own, with these notifications about one report, the first the newest. The
 * ways by which they come have tests of their own.
 */
async function createNotified(world: TestWorld, name: string, kinds: string[]) {
  const event = await world.newEvent(world.organization, "Riverside Summer Gathering");
  await world.grant(world.maya, event, "Reporter");
  const person = await world.person(name, { events: [[event, "Responder"]] });
  const report = await world.report(world.maya, event, { title: "A title that the team is shown" });
  // The one that the report itself brings comes a little later.
  await expect.poll(() => world.service.rows("notifications", "user_id = $1", [person.id])).toBe(1);
  await world.service.sql("delete from notifications where user_id = $1", [person.id]);
  await world.service.sql(
    `insert into notifications (user_id, kind, organization_id, event_id, incident_id, deduplication_id, created_at)
     select $1, kind, $3, $4, $5, gen_random_uuid()::text, now() - nr * interval '1 minute'
     from unnest($2::text[]) with ordinality as k(kind, nr)`,
    [person.id, kinds, world.organization.id, event.id, report.id],
  );
  return { person, event, report };
}

test("notifications are counted, read one by one and all at once, and removed", async ({
  page,
  signIn,
  world,
}) => {
  const kinds = ["incident.created", "message.created", "note.created"];
  const { person, event } = await createNotified(world, "Lea Nordin", kinds);
  await signIn(person);
  await page.goto("/inbox");
  await page.getByRole("link", { name: "Notifications, 3 unread" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "A new report has come in" })).toContainText(
    event.name,
  );
  // Requested again, since script keeps the page before.
  expect(await readHtml(page, "/notifications")).toContain("A title that the team is shown");
  await expectAccessible(page);

  const read = (createNotified: string) =>
    page.getByRole("button", { name: `Mark as read ${createNotified}, A title that the team is shown` });
  await read("A new report has come in").click();
  await expect(page.getByRole("link", { name: "Notifications, 2 unread" })).toBeVisible();
  await expect(read("A new report has come in")).toHaveCount(0);

  const views = page.getByRole("navigation", { name: "Filter notifications" });
  await views.getByRole("link", { name: "Unread" }).click();
  await expect(page).toHaveURL("/notifications?unread=true");
  await expect(page.getByText("A new report has come in")).toHaveCount(0);
  await expect(page.getByText("There’s a new message")).not.toHaveCount(0);
  await page
    .getByRole("button", { name: "Remove There’s a new message, A title that the team is shown" })
    .click();
  await expect(page.getByRole("link", { name: "Notifications, 1 unread" })).toBeVisible();

  await page.getByRole("button", { name: "Mark all as read" }).click();
  await expect(page.getByText("No unread notifications")).toBeVisible();
  await expectUsable(page);
  await expect(page.getByRole("link", { name: "Notifications", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Show all" }).click();
  await expect(page.getByRole("button", { name: /^Remove / })).toHaveCount(2);
});
