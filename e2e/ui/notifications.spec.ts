import type { TestWorld } from "#e2e/support/world.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleInEachTheme,
  expectNoSidewaysScroll,
  expectUsable,
  LAPTOP,
  PHONE,
  test,
} from "./support/test.ts";
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

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    test("each notification links to its subject", async ({ page, signIn, world }) => {
      const { person, event, report } = await createNotified(world, "Ylva Berg", ["incident.assigned"]);
      await signIn(person);
      await page.goto("/notifications");
      await page.getByRole("link", { name: "A report was assigned to you" }).click();
      await expect(page).toHaveURL(`/e/${event.slug}/i/${report.id}`);
      // Without script there is the button; a link changes nothing by itself.
      const unread = javaScriptEnabled ? "Notifications" : "Notifications, 1 unread";
      await expect(page.getByRole("link", { name: unread, exact: true })).toBeVisible();
    });
  });
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

test("notification settings are saved per kind", async ({ page, signIn, world }) => {
  const person = await world.person("Jon Aas", { events: [[world.event, "Responder"]] });
  await signIn(person);
  await page.goto("/notifications");
  await page.getByRole("link", { name: "Settings" }).click();
  const notes = page.getByRole("group", { name: "New team notes" });
  await notes.getByLabel("In the notification list").uncheck();
  await notes.getByLabel("By email").selectOption("Once a day, at 08:00 UTC");
  await page.getByRole("button", { name: "Save settings" }).click();
  await expect(page.getByText("Your settings have been saved.")).toBeVisible();
  await page.reload();
  await expect(notes.getByLabel("In the notification list")).not.toBeChecked();
  await expect(notes.getByLabel("By email")).toHaveValue("daily");
  const { body } = await world.as(person).get("/api/users/me/notification-settings");
  expect(body.settings).toContainEqual({ kind: "note.created", inApp: false, mail: "daily" });
  expect(body.settings).toContainEqual({ kind: "incident.created", inApp: true, mail: "now" });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("people who only report get the settings of reporters", async ({ page, signIn, world }) => {
    await signIn(world.rita);
    await page.goto("/notifications/settings");
    const groups = page.getByRole("group");
    await expect(groups.filter({ hasText: "In the notification list" }).locator("legend")).toHaveText([
      "Status changes of your reports",
      "New messages",
      "Reports opened in an emergency",
      "Role changes",
    ]);
  });

  test("a list longer than a page is paged, and the filter stays", async ({ page, signIn, world }) => {
    const kinds = [...Array.from({ length: 20 }, () => "file.added"), "incident.escalated"];
    const { person } = await createNotified(world, "Siv Moen", kinds);
    await signIn(person);
    await page.goto("/notifications?unread=true");
    await expect(page.getByText("A report has waited too long for a first response")).toHaveCount(0);
    await page.getByRole("link", { name: "Page 2" }).click();
    await expect(page).toHaveURL(/unread=true&page=2/);
    await expect(
      page.getByRole("link", { name: "A report has waited too long for a first response" }),
    ).toBeVisible();
  });
});

test("an empty list of notifications can be read by everybody", async ({ page, signIn, world }) => {
  await signIn(await world.person("Tuva Lie"));
  await page.goto("/notifications");
  for (const viewport of [PHONE, LAPTOP]) {
    await page.setViewportSize(viewport);
    await expectNoSidewaysScroll(page);
  }
  await expectAccessibleInEachTheme(page);
});
