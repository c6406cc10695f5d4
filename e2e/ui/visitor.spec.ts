import type { Page } from "@playwright/test";
import type { EventRef, TestWorld } from "#e2e/support/world.ts";
import {
  checkEach,
  expect,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  expectUsableFromNarrowestPhone,
  test,
} from "./support/test.ts";

/** The pages of those who have not signed in, or not yet. */

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
