import type { Page } from "@playwright/test";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, type PlaceRef, type TestWorld } from "#e2e/support/world.ts";
import { expect, expectAccessible, LAPTOP, PHONE, test } from "./support/test.ts";

/** The pages of an organization, for those who manage it, those who look at its numbers, and everybody else. */

const LONG = "Verein".padEnd(120, "langername");

/** An organization of its own, so that no other test changes what is counted here. */
async function house(world: TestWorld, name: string) {
  const place = await world.newOrganization(name);
  const admin = await world.person("Alma Berg", { organization: [place, "org_admin"] });
  const viewer = await world.person("Vera Lund", { organization: [place, "org_viewer"] });
  return { place, admin, viewer, at: `/orgs/${place.slug}` };
}

const tabs = (page: Page, place: PlaceRef) =>
  page.getByRole("navigation", { name: `Pages of ${place.name}` });

test("an admin sees what comes next, from the first event on", async ({ page, signIn, world }) => {
  const { place, admin, at } = await house(world, "Lantern Society");
  await signIn(admin);
  await page.goto(at);
  await expect(page.getByText("No events yet")).toBeVisible();
  await expect(page.getByRole("link", { name: /Invite a second admin/ })).toBeVisible();
  await page.getByRole("link", { name: "Create the first event" }).click();
  // Its address is made from its name, and a second try of this test needs another one.
  const night = `Lantern Night ${generateUniqueWord()}`;
  await page.getByLabel("Name", { exact: true }).fill(night);
  await page.getByLabel("First day").fill("2026-05-02");
  await page.getByLabel("Last day").fill("2026-05-01");
  await page.getByRole("button", { name: "Create event" }).click();
  await expect(page.getByLabel("Last day")).toHaveAccessibleDescription(
    /The last day must not be before the first day\./,
  );
  await page.getByLabel("Last day").fill("2026-05-03");
  await page.getByRole("button", { name: "Create event" }).click();
  await expect(page.getByRole("heading", { name: `You’ve created ${night}` })).toBeVisible();

  const event = await world.newEvent(place, "Lantern Breakfast");
  await world.grant(world.maya, event, "Reporter");
  await world.report(world.maya, event);
  await page.goto(at);
  await expect(
    page.getByRole("link", { name: /No one reads the reports for Lantern Breakfast/ }),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: `Invite the team for ${night}` })).toHaveAttribute(
    "href",
    `/e/${night.toLowerCase().replaceAll(" ", "-")}/team`,
  );
  await expect(page.getByRole("link", { name: /1 report needs a first response/ })).toBeVisible();
  await expect(page.locator("dl").filter({ hasText: "Open now" })).toContainText(
    "not yet resolved or closed",
  );
  const row = page.getByRole("row", { name: /Lantern Breakfast/ });
  await expect(row.getByRole("cell")).toHaveText(["No dates", "Active", "1", "1", "1", "0"]);
});

test("events are searched, sorted and paged, and the address holds the view", async ({
  page,
  signIn,
  world,
}) => {
  const { place, viewer, at } = await house(world, "Many Events");
  for (let n = 10; n < 32; n += 1) await world.newEvent(place, `Gathering ${n}`);
  await world.newEvent(place, LONG);
  await signIn(viewer);
  await page.goto(`${at}/events`);
  const names = page.getByRole("rowheader");
  await page.getByRole("link", { name: "Event", exact: true }).click();
  await expect(page).toHaveURL(/sort=name&order=asc/);
  await expect(names.first()).toHaveText("Gathering 10");
  await expect(page.getByRole("columnheader", { name: "Event" })).toHaveAttribute("aria-sort", "ascending");
  await page.getByRole("link", { name: "Page 2" }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect(names).toHaveText(["Gathering 30", "Gathering 31", LONG]);
  await page.getByRole("searchbox").fill("gathering 2");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(names).toHaveCount(10);
  await expect(page).toHaveURL(/sort=name/);
  await page.getByRole("link", { name: "Remove filter Search: gathering 2" }).click();
  await expect(names).toHaveCount(20);
});

test("the last admin stays, and the page says how to change that and who hasn’t accepted yet", async ({
  page,
  signIn,
  world,
}) => {
  const { place, admin, viewer, at } = await house(world, "Two Members");
  const elsewhere = await world.newOrganization("Another House");
  const invited = await world.person("Wanda Waiting", { organization: [elsewhere, "org_viewer"] });
  const body = { userId: invited.id, role: "org_viewer" };
  expect((await world.as(admin).post(`/api/organizations/${place.id}/members`, body)).status).toBe(201);
  await signIn(admin);
  await page.goto(`${at}/members`);
  const waiting = page.getByRole("listitem").filter({ hasText: "Wanda Waiting" });
  await expect(waiting).toContainText("This person hasn’t accepted yet");
  await expect(waiting).toContainText(/Invited \d/);
  await expect(waiting).not.toContainText("Joined");
  await expect(page.getByText("This is the only admin. Make someone else an admin")).toBeVisible();
  await expect(page.getByRole("button", { name: /Leave/ })).toHaveCount(0);
  const role = page.getByRole("form", { name: `Role of ${viewer.name}, ${viewer.email}` });
  await role.getByLabel("Role").selectOption("org_admin");
  await role.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The member’s role has been changed.")).toBeVisible();
  await page.getByRole("button", { name: /Leave/ }).click();
  await page.getByRole("button", { name: "Leave organization" }).click();
  await expect(page.getByText("You’ve left the organization.")).toBeVisible();
  const left = await world.service.sql(
    "select user_id from organization_members where organization_id = $1 and role = 'org_admin'",
    [place.id],
  );
  expect(left).toEqual([{ user_id: viewer.id }]);
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("people are invited, an invite gets a note, and the details change", async ({
    page,
    signIn,
    world,
  }) => {
    const { admin, at } = await house(world, "No Script House");
    await signIn(admin);
    await page.goto(`${at}/invites`);
    const invite = page.getByRole("form", { name: "New invite" });
    await invite.getByLabel("How many people can use it").fill("3");
    await invite.getByRole("button", { name: "Create invite" }).click();
    await expect(page.getByText("Invite created")).toBeVisible();
    await expect(page.getByText("3 uses left")).toBeVisible();
    await page.getByText("Edit note…").first().click();
    const note = page.getByRole("form", { name: "Edit note" });
    await note.getByLabel("Note").fill("For the treasurer");
    await note.getByRole("button", { name: "Save note" }).click();
    await expect(page.getByText("For the treasurer").first()).toBeVisible();
    await page.goto(`${at}/invites`);
    await expect(page.getByText("For the treasurer").first()).toBeVisible();
    await page.getByRole("button", { name: /Disable the invite/ }).click();
    await expect(page.getByText("No active invites")).toBeVisible();
    await expect(page.getByText("The invite is disabled")).toBeVisible();

    await page.goto(`${at}/settings`);
    const details = page.getByRole("form", { name: "Details" });
    await details.getByLabel("Website").fill("not a website");
    await details.getByRole("button", { name: "Save details" }).click();
    await expect(page.getByLabel("Website")).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByLabel("Website")).toHaveValue("not a website");
    await page.getByLabel("Website").fill("https://lantern.example.org");
    await page.getByRole("button", { name: "Save details" }).click();
    await expect(page.getByText("Your changes have been saved.")).toBeVisible();
    await page.goto(at);
    await expect(page.getByRole("link", { name: "lantern.example.org" })).toBeVisible();
  });
});

test("the audit log lists what was done, and says that it is intact; the confirmation of a long form is scrolled into view; a second factor is required only by who has one", async ({
  page,
  signIn,
  world,
}) => {
  const { place, admin, at } = await house(world, "Second Factor House");
  await signIn(admin);
  await page.goto(`${at}/settings`);
  await page.getByLabel("Website").fill("https://audited.example.org");
  await page.getByRole("button", { name: "Save details" }).click();
  await expect(page.getByText("Your changes have been saved.")).toBeVisible();
  await page.goto(`${at}/audit?action=organization.update`);
  await expect(page.getByRole("row", { name: /Alma Berg/ })).toContainText("Changed the organization");
  await page.goto(`${at}/audit?verify=1`);
  await expect(page.getByText("The log is intact")).toBeVisible();

  await page.goto(`${at}/settings`);
  await expect(page.getByRole("link", { name: "set up two-factor sign-in yourself" })).toBeVisible();
  await test.step("the confirmation of a long form is scrolled into view, on phones too", async () => {
    await page.setViewportSize(PHONE);
    await page.getByLabel("When a report is closed").first().fill("We have closed it: [why].");
    await page.getByRole("button", { name: "Save messages" }).click();
    await expect(page.getByText("The messages have been saved.")).toBeInViewport();
    await page.setViewportSize(LAPTOP);
  });
  await world.service.sql(
    "insert into second_factors (user_id, secret, confirmed_at) values ($1, '\\x00', now())",
    [admin.id],
  );
  await page.reload();
  await page.getByRole("button", { name: "Require two-factor sign-in…" }).click();
  await page.getByRole("button", { name: "Require it" }).click();
  await expect(page.getByText("the teams of all events need two-factor sign-in")).toBeVisible();
  const [row] = await world.service.sql<{ require_second_factor: boolean }>(
    "select require_second_factor from organizations where id = $1",
    [place.id],
  );
  expect(row?.require_second_factor).toBe(true);
});

test("a viewer sees pages and numbers, and none of what admins do", async ({ page, signIn, world }) => {
  const { place, viewer, at } = await house(world, "Viewers House");
  await world.newEvent(place, "Quiet Evening");
  await signIn(viewer);
  await page.goto(at);
  await expect(tabs(page, place).getByRole("link")).toHaveText([
    "Overview",
    "Events",
    "Insights",
    "Members",
    "Deletion",
  ]);
  await expect(page.getByRole("link", { name: "New event" })).toHaveCount(0);
  await expect(page.getByText("Next steps")).toHaveCount(0);
  await page.goto(`${at}/members`);
  await expect(page.getByRole("button", { name: /Save|Remove|Leave/ })).toHaveCount(0);
  for (const path of ["/invites", "/webhooks", "/tokens", "/audit", "/settings", "/events/new"]) {
    const response = await page.request.get(`${at}${path}`);
    expect(response.status()).toBe(403);
    expect(await response.text()).toMatch(/<h1[^>]*>[^<]*don.t have access to this page/);
  }
});

test("nobody else learns anything of an organization", async ({ context, signIn, world }) => {
  const { admin, at } = await house(world, "Hidden Harbour House");
  for (const person of [world.nora, world.bruno, world.omar]) {
    await signIn(person);
    for (const path of [
      "",
      "/events",
      "/members",
      "/insights",
      "/webhooks",
      "/tokens",
      "/audit",
      "/settings",
    ]) {
      const response = await context.request.get(`${at}${path}`);
      const content = await response.text();
      expect([path, response.status()]).toEqual([path, 403]);
      expect(content).not.toContain("Hidden Harbour");
      expect(content).not.toContain(admin.email);
    }
  }
});

test("a service token is shown once, reads the organization, and is deleted", async ({
  page,
  signIn,
  world,
}) => {
  const { place, admin, at } = await house(world, "Token House");
  const event = await world.newEvent(place, "Token Evening");
  await signIn(admin);
  await page.setViewportSize(PHONE);
  await page.goto(`${at}/tokens`);
  await page.getByLabel("Name", { exact: true }).fill("Nightly numbers");
  await page.getByLabel("Read", { exact: true }).check();
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByText("You can’t create this token.")).toBeVisible();
  await world.grant(admin, event, "Admin");
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create token" }).click();
  const made = page.getByLabel("Your new token");
  await expect(made).toBeFocused();
  await expect(made).toBeInViewport();
  await expectAccessible(page);
  const headers = { authorization: `Bearer ${await made.inputValue()}` };
  const ask = () => world.nobody.get(`/api/events/${event.id}/incidents`, { headers });
  expect((await ask()).status).toBe(200);
  await page.goto(`${at}/tokens`);
  await expect(page.getByText("Read only, for Token House and its events")).toBeVisible();
  await page.getByRole("button", { name: "Delete… Nightly numbers" }).click();
  await page.getByRole("button", { name: "Delete token" }).click();
  await expect(page.getByText("No service tokens")).toBeVisible();
  expect((await ask()).status).toBe(401);
});
