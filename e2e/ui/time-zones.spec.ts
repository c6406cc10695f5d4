import type { Page } from "@playwright/test";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import type { EventRef, TestWorld } from "#e2e/support/world.ts";
import { expect, test } from "./support/test.ts";
import { readHtml } from "./support/opened.ts";

/** Whose clock a time is shown by, from the form that asks for it to the pages that show it. */

/** An event by the clocks of New York, with its Admin. */
async function eventInNewYork(world: TestWorld) {
  const event = await world.newEvent(world.organization, `Harbor Talks ${generateUniqueWord()}`);
  const admin = await world.person("Lena Lake", { events: [[event, "Admin"]] });
  await world
    .as(admin)
    .patch(`/api/events/slug/${event.slug}`, { timeZone: "America/New_York", startDate: "2026-05-01" });
  return { event, admin };
}

const eventNow = async (world: TestWorld, { slug }: Pick<EventRef, "slug">) =>
  (await world.as(world.ada).get(`/api/events/slug/${slug}`)).body.event;

async function createEvent(page: Page, world: TestWorld, zone: string | null) {
  const organizer = await world.person("Alma Berg", { organization: [world.organization, "org_admin"] });
  const name = `Mill Days ${generateUniqueWord()}`;
  return {
    organizer,
    slug: name.toLowerCase().replaceAll(" ", "-"),
    send: async () => {
      await page.goto(`/orgs/${world.organization.slug}/events/new`);
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByLabel("First day").fill("2026-03-29");
      await page.getByLabel("Last day").fill("2026-03-30");
      if (zone !== null) await page.getByLabel("Time zone").fill(zone);
      await page.getByRole("button", { name: "Create event" }).click();
    },
  };
}

test.describe("in Berlin", () => {
  test.use({ timezoneId: "Europe/Berlin" });

  test("Alma creates an event, and its zone and days are those of her browser", async ({
    page,
    signIn,
    world,
  }) => {
    const { organizer, slug, send } = await createEvent(page, world, null);
    await signIn(organizer);
    await send();
    await expect(page.getByRole("heading", { name: /You’ve created Mill Days/ })).toBeVisible();
    // The link offered here leads to this computer.
    await expect(page.getByText("Links and QR codes don’t work for others yet")).toBeVisible();
    // The clocks change on the first day.
    expect(await eventNow(world, { slug })).toMatchObject({
      timeZone: "Europe/Berlin",
      startDate: "2026-03-28T23:00:00.000Z",
      endDate: "2026-03-30T21:59:00.000Z",
    });

    await page.goto(`/e/${slug}/settings`);
    const settings = page.getByRole("form", { name: "Event", exact: true });
    await expect(settings.getByLabel("First day")).toHaveValue("2026-03-29");
    await expect(settings.getByLabel("Last day")).toHaveValue("2026-03-30");
    await expect(settings.getByLabel("Time zone")).toHaveValue("Europe/Berlin");
  });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("Alma names the city of an event, after one that doesn't exist", async ({ page, signIn, world }) => {
    const { organizer, slug, send } = await createEvent(page, world, "Atlantis");
    await signIn(organizer);
    await send();
    const zone = page.getByLabel("Time zone");
    await expect(zone).toHaveAccessibleDescription(
      /The time zone must be a time zone, such as Europe\/Berlin/,
    );
    await expect(zone).toHaveValue("Atlantis");
    await zone.fill("new york");
    await page.getByRole("button", { name: "Create event" }).click();
    await expect(page.getByRole("heading", { name: /You’ve created Mill Days/ })).toBeVisible();
    expect(await eventNow(world, { slug })).toMatchObject({
      timeZone: "America/New_York",
      startDate: "2026-03-29T04:00:00.000Z",
      endDate: "2026-03-31T03:59:00.000Z",
    });
  });

  test("Lena saves settings, and a time of day that a program gave stays", async ({
    page,
    signIn,
    world,
  }) => {
    const { event, admin } = await eventInNewYork(world);
    const startDate = "2026-05-01T13:30:00.000Z";
    await world.as(admin).patch(`/api/events/slug/${event.slug}`, { startDate });
    await signIn(admin);
    await page.goto(`/e/${event.slug}/settings`);
    const settings = page.getByRole("form", { name: "Event", exact: true });
    await settings.getByLabel("Last day").fill("2026-05-02");
    await settings.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("The event has been saved.")).toBeVisible();
    expect(await eventNow(world, event)).toMatchObject({ startDate, endDate: "2026-05-03T03:59:00.000Z" });

    await settings.getByLabel("First day").fill("2026-05-03");
    await settings.getByRole("button", { name: "Save" }).click();
    await expect(settings.getByLabel("First day")).toHaveAccessibleDescription(
      "The first day must not be after the last day.",
    );

    await settings.getByLabel("First day").fill("2026-04-30");
    await settings.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await eventNow(world, event)).startDate).toBe("2026-04-30T04:00:00.000Z");
  });
});

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? "with script" : "posted as a form", () => {
    test.use({ javaScriptEnabled });

    test("Maya enters a time by the clock of the event, wherever she is", async ({ page, signIn, world }) => {
      const { event } = await eventInNewYork(world);
      const reporter = await world.person("Maya Lund", { events: [[event, "Reporter"]] });
      await signIn(reporter);
      await page.goto(`/e/${event.slug}/report`);
      await expect(page.getByLabel("Time zone")).toHaveCount(0);
      if (javaScriptEnabled) await page.getByRole("button", { name: "Start", exact: true }).click();
      await page.getByLabel("In your own words").fill("Somebody pushed me at the stairs.");
      if (javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click();
      await page.getByLabel("Day it happened").fill("2026-07-04");
      await page.getByLabel("Time of day").selectOption("I know the time");
      await page.getByLabel("Time (America/New York)").fill("18:30");
      if (javaScriptEnabled) {
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByRole("button", { name: "Continue" }).click();
        await expect(page.getByText("4 Jul 2026, 18:30 (America/New York)")).toBeVisible();
      }
      await page.getByRole("button", { name: "Send report" }).click();
      await expect(page).toHaveURL(/\/report\/sent/);
      const { body } = await world.as(reporter).get(`/api/events/slug/${event.slug}/incidents`);
      expect(body.incidents).toMatchObject([{ incidentAt: "2026-07-04T22:30:00.000Z" }]);
    });
  });

test("Lena reads times by the clock of her event until she chooses her own", async ({
  page,
  signIn,
  world,
}) => {
  const { event, admin } = await eventInNewYork(world);
  const reporter = await world.person("Maya Lund", { events: [[event, "Reporter"]] });
  const { id } = await world.report(reporter, event, { incidentAt: "2026-07-04T22:30:00.000Z" });
  await signIn(admin);
  await page.goto(`/e/${event.slug}/i/${id}`);
  await expect(page.getByText("4 Jul 2026, 18:30 EDT")).toBeVisible();

  await page.goto("/account");
  await page.getByRole("combobox", { name: "Time zone" }).fill("tokyo");
  await page.getByRole("button", { name: "Save time zone" }).click();
  await expect(page.getByText("Your time zone has been saved.")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Time zone" })).toHaveValue("Asia/Tokyo");
  expect(await readHtml(page, `/e/${event.slug}/i/${id}`)).toContain("5 Jul 2026, 07:30 GMT+9");
  // The days of the event stay its own.
  expect(await readHtml(page, `/e/${event.slug}`)).toContain("1 May 2026");
});
