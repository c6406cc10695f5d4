import type { Locator, Page } from "@playwright/test";
import { ageReport } from "#e2e/support/age-report.ts";
import type { EventRef, ReportRecord, TestPerson, TestWorld } from "#e2e/support/world.ts";
import { expect, expectUsable, LAPTOP, PHONE, test } from "./support/test.ts";

/** What a responder finds in the inbox at the start of a shift, and how they narrow it down. */

type Shift = {
  event: EventRef;
  omar: TestPerson;
  maya: TestPerson;
  fresh: ReportRecord;
  late: ReportRecord;
  critical: ReportRecord;
  handled: ReportRecord;
  closed: ReportRecord;
};

/** An event with its own people: a new report, one that is overdue, a critical one that Ada has, and a closed one. */
async function startShift(world: TestWorld): Promise<Shift> {
  const event = await world.newEvent(world.organization, "Harbour Night Market");
  const [omar, ada, maya, rita] = await Promise.all([
    world.person("Omar On Shift", { events: [[event, "Responder"]] }),
    world.person("Ada In Charge", { events: [[event, "Admin"]] }),
    world.person("Maya Visitor", { events: [[event, "Reporter"]] }),
    world.person("Rita Visitor", { events: [[event, "Reporter"]] }),
  ]);
  const report = (title: string, from = maya, changes = {}) =>
    world.report(from, event, { title, ...changes });
  const closed = await report("Settled between the two of them", rita);
  const handled = await report("Threats beside the ferry", rita, { severity: "critical" });
  const late = await report("Nobody has answered this one");
  const critical = await report("A man with a knife at the pier", maya, { severity: "critical" });
  const fresh = await report("Loud music next to the quiet room");
  await world.move(handled, "acknowledged", { assignedToUserId: undefined });
  await world
    .as(ada)
    .patch(`/api/events/slug/${event.slug}/incidents/${handled.id}`, { assignedResponderId: ada.id });
  await world.move(closed, "closed", { assignedToUserId: undefined });
  await ageReport(world.service, late.id, "26 hours");
  await world.as(omar).post("/api/users/me/pins", { incidentId: fresh.id, eventId: event.id });
  return { event, omar, maya, fresh, late, critical, handled, closed };
}

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("Omar reads when each incident is due", async ({ page, signIn, world }) => {
    const shift = await startShift(world);
    await signIn(shift.omar);
    await expectDueTimesWhole({ page, world, shift });
  });
});

test("everybody can use the inbox, and the next incident follows by urgency", async ({
  page,
  signIn,
  world,
}) => {
  const { omar, maya, late, handled } = await startShift(world);
  await signIn(omar);
  await test.step("the inbox can be used by everybody, with its order open and a filter by person", async () => {
    await page.goto(`/inbox?reporter=${maya.id}`);
    await page.locator("summary", { hasText: "Most urgent first" }).click();
    await expectUsable(page);
  });
  await test.step("the next incident of the list follows by urgency, too", async () => {
    await page.goto("/inbox");
    await page.getByRole("link", { name: handled.title }).click();
    await expect(page.getByRole("heading", { level: 1, name: handled.title })).toBeVisible();
    await page.getByRole("link", { name: "Next incident" }).click();
    await expect(page.getByRole("heading", { level: 1, name: late.title })).toBeVisible();
    await page.getByRole("link", { name: "Back to list" }).click();
    await expect(page).toHaveURL(/\/inbox$/);
  });
});

/** All of the text can be read: nothing around it cuts it off, once the fonts are there. */
const isWhole = (text: Locator) =>
  text.evaluate(async (element) => {
    await document.fonts.ready;
    const range = document.createRange();
    range.selectNodeContents(element);
    const shown = range.getBoundingClientRect();
    for (let around = element.parentElement; around; around = around.parentElement) {
      const style = getComputedStyle(around);
      const box = around.getBoundingClientRect();
      const clips = style.overflowX !== "visible";
      if (clips && (shown.left < box.left - 1 || shown.right > box.right + 1)) return false;
      if (around.matches("li")) break;
    }
    return element.scrollWidth <= element.clientWidth && shown.width > 0;
  });

type Reading = { page: Page; world: TestWorld; shift: Shift };

/** When each report is due can be read in three languages, on a phone and a laptop, with rows close together or not. */
async function expectDueTimesWhole({ page, world, shift: { maya, event, late } }: Reading): Promise<void> {
  await world.report(maya, event, {
    title: "A long title that shares the line with all of the rest of its row",
    type: "harassment",
  });
  const url = process.env.HEED_UI_URL ?? "";
  for (const locale of ["en", "de", "ar"])
    for (const density of ["comfortable", "compact"])
      await test.step(`Omar reads when each report is due in ${locale}, with ${density} rows`, async () => {
        await page.context().addCookies([
          { name: "heed_density", value: density, url },
          { name: "heed_locale", value: locale, url },
        ]);
        await page.goto("/inbox");
        await expect(page.locator("html")).toHaveAttribute("lang", locale);
        await expect(page.getByText(late.title)).toBeVisible();
        const clocks = page.locator("li[data-row] p > span[title]");
        expect(await clocks.count()).toBe(5);
        for (const viewport of [PHONE, LAPTOP]) {
          await page.setViewportSize(viewport);
          for (const clock of await clocks.all())
            expect(await isWhole(clock), await clock.innerText()).toBe(true);
        }
      });
}
