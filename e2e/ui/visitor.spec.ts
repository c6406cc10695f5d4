import type { Page } from "@playwright/test";
import type { EventRef, TestWorld } from "#e2e/support/world.ts";
import {
  checkEach,
  expect,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  expectUsableFromNarrowestPhone,
  LAPTOP,
  test,
} from "./support/test.ts";

/** The pages of those who have not signed in, or not yet. */

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("the landing page describes the service, and leads to an event by its link", async ({
    page,
    world,
  }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Heed makes sure they do");
    await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Come back to a report" })).toHaveAttribute(
      "href",
      "/mailbox",
    );
    const field = page.getByLabel("Event link or short name");
    await field.fill("not an event");
    await page.getByRole("button", { name: "Open the event" }).click();
    await expect(field).toHaveAccessibleDescription(/This isn’t an event link/);
    await expect(field).toHaveValue("not an event");
    await field.fill("no-such-event");
    await page.getByRole("button", { name: "Open the event" }).click();
    await expect(field).toHaveAccessibleDescription(/We found no event with this link or short name/);
    await expect(field).toHaveValue("no-such-event");
    await field.fill(`https://heed.example.org/e/${world.event.slug}?from=badge`);
    await page.getByRole("button", { name: "Open the event" }).click();
    await expect(page).toHaveURL(`/e/${world.event.slug}`);
    await expect(page.getByRole("heading", { level: 1, name: world.event.name })).toBeVisible();
  });
});

test.describe("an event's page", () => {
  test.use({ javaScriptEnabled: false });

  test("shows its rules with their contents, who answers, how soon, and whom to call", async ({
    page,
    world,
  }) => {
    const event = await world.newEvent(world.organization, "Riverside open house");
    await world.grant(world.ada, event, "Admin");
    await world.as(world.ada).patch(`/api/events/slug/${event.slug}`, {
      codeOfConduct:
        "Be kind.\n\n## What we ask\n\n- Listen\n- **Ask** first\n\n## What has no place\nThreats.\n\n## After a report\nWe answer.",
      contactEmail: "team@riverside.example.org",
    });
    await page.goto(`/e/${event.slug}`);
    await expect(page.getByText(world.ada.name)).toHaveCount(0);
    await world.as(world.ada).patch(`/api/events/${event.id}/report-settings`, {
      showTeam: true,
      emergencyContact: "Venue security: 555 0100",
      answerWithinHours: 48,
    });
    await page.reload();
    await expect(page.getByText("Venue security: 555 0100")).toBeVisible();
    await expect(page.getByText("Within 2 days, someone on the response team will read it")).toBeVisible();
    await expect(page.getByRole("listitem").filter({ hasText: world.ada.name })).toBeVisible();
    await page.getByRole("link", { name: "After a report" }).click();
    await expect(page).toHaveURL(/#conduct-4$/);
    await expect(page.getByRole("heading", { level: 3, name: "After a report" })).toBeInViewport();
    await page.getByRole("link", { name: "Report something that happened" }).click();
    await expect(page).toHaveURL(`/e/${event.slug}/report?without=account`);
  });

  test("of an event that is over says so, and still leads to a report", async ({ page, world }) => {
    const event = await world.newEvent(world.organization, "n".repeat(120));
    await world.grant(world.ada, event, "Admin");
    await world.as(world.ada).patch(`/api/events/slug/${event.slug}`, { isActive: false });
    await page.goto(`/e/${event.slug}`);
    await expect(page.getByText("This event is over")).toBeVisible();
    await expect(page.getByRole("link", { name: "Report something that happened" })).toBeVisible();
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
  });
});

const PAGES = ["/", "/e/…"];

test.describe("in Arabic", () => {
  test.use({ locale: "ar" });

  test("the first page and that of an event are read from right to left", async ({ page, world }) => {
    await checkEach(PAGES, async (path) => {
      await page.goto(path.replace("…", world.event.slug));
      await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
      await expectStructureAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      await expectNoSidewaysScroll(page);
    });
  });
});

/** An event with all that helps whoever has no invite to it. */
async function reachable(world: TestWorld): Promise<{ event: EventRef; contactEmail: string }> {
  const event = await world.newEvent(world.organization, "Lakeside open day");
  await world.grant(world.ada, event, "Admin");
  const contactEmail = "care@lakeside.example.org";
  await world.as(world.ada).patch(`/api/events/slug/${event.slug}`, { contactEmail });
  await world.as(world.ada).patch(`/api/events/${event.id}/report-settings`, {
    emergencyContact: "Lakeside security: 555 0101",
    whoCanReport: "invite",
    withoutAccount: false,
  });
  return { event, contactEmail };
}

test("sign-in and registration on the way to a report can be used", async ({ page, world }) => {
  const { event } = await reachable(world);
  await checkEach(["/login", "/register"], async (path) => {
    await page.goto(`${path}?next=${encodeURIComponent(`/e/${event.slug}/report`)}`);
    await expect(page.getByText("Lakeside security: 555 0101")).toBeVisible();
    await expectUsableFromNarrowestPhone(page);
  });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("the home page leads a reporter to their reports, and a responder to the incidents", async ({
    page,
    signIn,
    world,
  }) => {
    for (const [person, link] of [
      [world.maya, "Your reports"],
      [world.omar, "Your incidents"],
    ] as const) {
      await signIn(person);
      await page.goto("/");
      await expect(page.getByRole("link", { name: link })).toHaveAttribute("href", "/inbox");
    }
  });

  test("a visitor without an invite learns the requirements and the contact before creating an account", async ({
    page,
    world,
  }) => {
    const { event, contactEmail } = await reachable(world);
    const reach = page.getByRole("link", { name: contactEmail }).first();
    await page.goto(`/e/${event.slug}`);
    await expect(page.getByText("you need an invite from this event")).toBeVisible();
    await expect(reach).toHaveAttribute("href", `mailto:${contactEmail}`);
    await page.getByRole("link", { name: "Report something that happened" }).click();
    await expect(page).toHaveURL(/\/login/);
    for (const title of ["Sign in", "Create an account"]) {
      await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
      await expect(page.getByText(`To report at ${event.name}, you need an invite`)).toBeVisible();
      await expect(page.getByText("Lakeside security: 555 0101")).toBeVisible();
      await expect(reach).toBeVisible();
      await page.goto(`/register?next=${encodeURIComponent(`/e/${event.slug}/report`)}`);
    }
    await page.goto("/login?next=%2Fe%2Fno-such-event%2Freport");
    await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
    await expect(page.getByText("you need an invite from the event")).toHaveCount(0);
  });

  test("only team members are led to incidents", async ({ page, signIn, world }) => {
    const bar = page.getByRole("navigation", { name: "Main" });
    await page.setViewportSize(LAPTOP);
    for (const [person, links] of [
      [world.maya, ["Your reports"]],
      [world.omar, ["Incidents"]],
      [world.viktor, ["Organizations"]],
    ] as const) {
      await signIn(person);
      await page.goto("/account");
      await expect(bar.getByRole("link")).toHaveText([...links]);
    }
  });
});

/** Bytes of all scripts of a first visit as they crossed the wire, without headers. */
async function scriptBytes(page: Page, address: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script")
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.goto(address, { waitUntil: "networkidle" });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

// Each in a browser of its own, since the second visit would find everything in the cache.
// A bare page of the framework sends 114,900.
test("an event's page sends at most 2.5 kB of script beyond the framework's", async ({ page, world }) => {
  const bytes = await scriptBytes(page, `/e/${world.event.slug}`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(114_900 + 2500);
});

test("the report form sends at most 133.6 kB of script", async ({ page, signIn, world }) => {
  await signIn(world.maya);
  const bytes = await scriptBytes(page, `/e/${world.event.slug}/report`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(133_600);
});
