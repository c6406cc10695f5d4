import type { Page } from "@playwright/test";
import type { EventRef, TestPerson, TestWorld } from "#e2e/support/world.ts";
import { expect, test } from "./support/test.ts";

/** What the Admins of an event do: settings, people, invites and posters, audit; and what invited people meet. */

/** An event of its own for a test, with an Admin who is signed in nowhere yet. */
async function newPlace(
  world: TestWorld,
  name = "Lakeside gathering",
): Promise<{ event: EventRef; admin: TestPerson }> {
  const event = await world.newEvent(world.organization, name);
  const admin = await world.person("Lena Lake", { events: [[event, "Admin"]] });
  return { event, admin };
}

/** Its settings, before the eyes of its Admin. */
async function openSettings(page: Page, signIn: (admin: TestPerson) => Promise<void>, world: TestWorld) {
  const place = await newPlace(world);
  await signIn(place.admin);
  await page.goto(`/e/${place.event.slug}/settings`);
  return place;
}

const form = (page: Page, name: string) => page.getByRole("form", { name, exact: true });

test("settings are saved, previewed and refused at their fields, and after a conflict both versions are shown", async ({
  page,
  signIn,
  world,
}) => {
  const { event, admin } = await openSettings(page, signIn, world);
  await test.step("the code of conduct can be previewed before it is saved", async () => {
    const text = form(page, "Code of conduct").getByLabel("Code of conduct");
    await text.fill("# Be kind\n\nListen **first**.\n\n<script>alert(1)</script>");
    const preview = page.getByRole("region", { name: "As readers see it" });
    await expect(preview.getByRole("heading", { name: "Be kind" })).toBeVisible();
    await expect(preview.locator("strong")).toHaveText("first");
    await expect(preview.locator("script")).toHaveCount(0);
    expect((await world.as(admin).get(`/api/events/${event.id}`)).body.event.codeOfConduct).toBeNull();
    await expect(text).toHaveValue(/^# Be kind/);

    await page.getByRole("button", { name: "Save code of conduct" }).click();
    await expect(page.getByText("The code of conduct has been saved")).toBeVisible();
    expect((await world.as(admin).get(`/api/events/${event.id}`)).body.event.codeOfConduct).toMatch(
      /^# Be kind/,
    );
  });
  await test.step("after a conflict an Admin sees both versions, and decides", async () => {
    const mine = form(page, "Event");
    await mine.getByLabel("Description").fill("Written by Lena");
    await world
      .as(admin)
      .patch(`/api/events/slug/${event.slug}`, { description: "Written by somebody else" });
    await mine.getByRole("button", { name: "Save" }).click();

    await expect(page.getByRole("alert").filter({ hasText: "Someone else saved changes" })).toBeVisible();
    await expect(mine.getByText("Written by somebody else", { exact: true })).toBeVisible();
    await expect(mine.getByLabel("Description")).toHaveValue("Written by Lena");
    const saved = async () => (await world.as(admin).get(`/api/events/${event.id}`)).body.event.description;
    expect(await saved()).toBe("Written by somebody else");

    await mine.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("The event has been saved.")).toBeVisible();
    expect(await saved()).toBe("Written by Lena");
  });
  await test.step("after a conflict in the settings for reporters both versions are shown", async () => {
    const mine = form(page, "Reporting");
    await mine.getByLabel("Who to call in an emergency").fill("The desk in the hall");
    const api = `/api/events/${event.id}/report-settings`;
    await world.as(admin).patch(api, { emergencyContact: "Venue security", showTeam: true });
    await mine.getByRole("button", { name: "Save" }).click();

    const alert = page.getByRole("alert").filter({ hasText: "Someone else saved changes" });
    await expect(alert).toBeVisible();
    await expect(alert.getByText("Venue security", { exact: true })).toBeVisible();
    await expect(alert.getByText("The desk in the hall", { exact: true })).toBeVisible();
    await expect(alert.getByText("Yes", { exact: true })).toBeVisible();
    const saved = async () => (await world.as(admin).get(api)).body.reportSettings.emergencyContact;
    expect(await saved()).toBe("Venue security");

    await alert.getByRole("button", { name: "Use my version" }).click();
    await expect(page.getByText("Saved. Anyone who opens the report form")).toBeVisible();
    expect(await saved()).toBe("The desk in the hall");
  });
  await test.step("the settings for reporters are saved, and a first response that is out of range is refused at its field", async () => {
    const reporters = form(page, "Reporting");
    await reporters.getByLabel("Who to call in an emergency").fill("Venue security, +1 555 0100");
    await reporters.getByLabel("First response within (hours)").fill("9000");
    await reporters.getByLabel("Name the response team").check();
    await reporters.getByRole("button", { name: "Save" }).click();
    const hours = reporters.getByLabel("First response within (hours)");
    const saved = page.getByText("Saved. Anyone who opens the report form");
    await expect(hours).toHaveAttribute("aria-invalid", "true");
    await expect(saved).toHaveCount(0);
    await expect(reporters.getByLabel("Who to call in an emergency")).toHaveValue(
      "Venue security, +1 555 0100",
    );
    await expect(reporters.getByLabel("Name the response team")).toBeChecked();

    await hours.fill("24");
    await reporters.getByRole("button", { name: "Save" }).click();
    await expect(saved).toBeVisible();
    const { body } = await world.as(admin).get(`/api/events/${event.id}/report-settings`);
    expect(body.reportSettings).toMatchObject({
      showTeam: true,
      emergencyContact: "Venue security, +1 555 0100",
      answerWithinHours: 24,
    });
  });
});

test("unsaved settings are left after a question, for the team's page, which leads to an invite for a Responder", async ({
  page,
  signIn,
  world,
}) => {
  await openSettings(page, signIn, world);
  await test.step("leaving unsaved changes asks for confirmation", async () => {
    await form(page, "Event").getByLabel("Description").fill("Half a sentence");
    const team = page.getByRole("link", { name: "Team", exact: true });
    const leave = (answer: "accept" | "dismiss") =>
      Promise.all([page.waitForEvent("dialog").then((question) => question[answer]()), team.click()]);
    await leave("dismiss");
    await expect(page).toHaveURL(/\/settings$/);
    await expect(form(page, "Event").getByLabel("Description")).toHaveValue("Half a sentence");
    await leave("accept");
    await expect(page).toHaveURL(/\/team$/);
  });
  await test.step("the page of the team has invites, for a Responder at first", async () => {
    await page.getByRole("link", { name: "Invite people" }).click();
    const role = form(page, "New invite").getByLabel("Role");
    await expect(role).toHaveValue("Responder");
    await expect(role).toBeInViewport();
  });
});

test("an invite is made, counted, put on a poster and disabled", async ({ page, signIn, world }) => {
  const { event, admin } = await newPlace(world);
  await signIn(admin);
  await page.goto(`/e/${event.slug}/team`);
  const wanted = form(page, "New invite");
  await wanted.getByLabel("How many people can use it").fill("2");
  await wanted.getByLabel("Note").fill("For the front desk");
  await wanted.getByRole("button", { name: "Create link" }).click();
  const made = page.getByRole("listitem").filter({ hasText: "For the front desk" });
  await expect(made).toContainText("2 uses left of 2");
  const link = await made.getByLabel("Link", { exact: true }).inputValue();
  await world.as(await world.person("Uma User")).post(`/api/invites/${link.split("/").at(-1)}/redeem`);
  await page.reload();
  await expect(made).toContainText("1 use left of 2");

  await made.getByRole("link", { name: /Poster/ }).click();
  await page.getByRole("link", { name: "العربية" }).click();
  const sheet = page.getByRole("article");
  await expect(sheet).toHaveAttribute("dir", "rtl");
  await expect(sheet).toContainText(link.replace("http://", ""));
  await expectPrintsAlone(page, event.name);

  await page.goto(`/e/${event.slug}/team`);
  await made.getByRole("button", { name: /^Disable/ }).click();
  // What was pressed has moved: the keyboard goes on from what was done, and not from the top of the page.
  await expect(page.getByRole("status").filter({ hasText: "The invite is disabled" })).toBeVisible();
  await expect(page.locator(":focus")).toContainText("The invite is disabled");
  await page.getByText("Inactive links (1)").click();
  await expect(made.getByText("Disabled", { exact: true })).toBeVisible();
  await expect(made.getByLabel("Link", { exact: true })).toHaveCount(0);
});

/** One sheet with the code on it, and nothing that belongs to the page. */
async function expectPrintsAlone(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("article")).toContainText(name);
  await expect
    .poll(() =>
      page
        .getByRole("article")
        .getByRole("img")
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    )
    .toBeGreaterThan(0);
  for (const part of ["link", "button", "navigation", "banner", "contentinfo"] as const)
    await expect(page.getByRole(part)).toHaveCount(0);
  const paper = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(paper.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await page.emulateMedia({ media: "screen" });
}

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("the report poster prints without the rest of the page, for Responders, too", async ({
    page,
    signIn,
    world,
  }) => {
    const { event } = await newPlace(world, "Gathering with a name that goes on and on");
    const responder = await world.person("Rea Responder", { events: [[event, "Responder"]] });
    await signIn(responder);
    await page.goto(`/e/${event.slug}/invites/poster`);
    await expect(page.getByRole("article")).toContainText(`/e/${event.slug}`);
    await expectPrintsAlone(page, event.name);
    await signIn(world.nora);
    expect((await page.request.get(`/e/${event.slug}/invites/poster`)).status()).toBe(403);
  });
});
