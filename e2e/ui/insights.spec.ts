import type { TestWorld } from "#e2e/support/world.ts";
import { expect, test } from "./support/test.ts";

/** The numbers of an organization: what they count, for whom, and what they never tell. */

const DAY = 24 * 3600 * 1000;

/** Twelve reports: seven of the last month, five of the month before. */
async function numbers(world: TestWorld) {
  const house = await world.newOrganization("Counting House");
  const event = await world.newEvent(house, "Counted Days");
  const other = await world.newEvent(house, "Other Days");
  const viewer = await world.person("Vida Number", { organization: [house, "org_viewer"] });
  const both = await world.person("Theo Team", {
    organization: [house, "org_viewer"],
    events: [[event, "Responder"]],
  });
  for (const [n, days] of [1, 2, 3, 4, 5, 6, 7, 40, 41, 42, 43, 44].entries()) {
    const created = new Date(Date.now() - days * DAY);
    const answered = n % 2 === 0 ? null : new Date(created.getTime() + 2 * 3600 * 1000);
    await world.service.sql(
      `insert into incidents (event_id, title, description, reporter_id, state, severity, created_at, first_response_at, first_response_due_at)
       values ($1, $2, 'zqdescription', $3, $4::incident_state, 'high', $5, $6, $5::timestamptz + interval '1 day')`,
      [
        n === 0 ? other.id : event.id,
        `Zqtitle number ${n} of them`,
        world.maya.id,
        answered ? "acknowledged" : "submitted",
        created,
        answered,
      ],
    );
  }
  return { house, event, other, viewer, both, at: `/orgs/${house.slug}/insights` };
}

test("a viewer goes from a period to its parts, sees no title, and downloads the numbers", async ({
  page,
  signIn,
  world,
}) => {
  const { at, viewer } = await numbers(world);
  await signIn(viewer);
  await page.goto(at);
  const tiles = page.getByRole("list", { name: "Numbers" }).locator("> li");
  await expect(tiles.nth(0)).toContainText(/Reports\s*7/);
  await expect(tiles.nth(2)).toContainText(/Needs first response\s*4/);
  await expect(tiles.nth(3)).toContainText("Too few reports");
  await page.getByRole("link", { name: "Compare with the previous period" }).click();
  await expect(page).toHaveURL(/compare=true/);
  await expect(tiles.nth(0)).toContainText("Up from 5");
  for (const now of [1, 2]) await expect(tiles.nth(now)).not.toContainText(/ from |As before/);
  await page.getByRole("navigation", { name: "Period" }).getByRole("link", { name: "90 days" }).click();
  await expect(page).toHaveURL(/timeRange=90d/);
  await expect(tiles.nth(0)).toContainText(/Reports\s*12/);
  await expect(tiles.nth(3)).toContainText(/2 h/);
  await page.getByLabel("Event", { exact: true }).selectOption({ label: "Other Days" });
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page).toHaveURL(/timeRange=90d.*eventId=|eventId=.*timeRange=90d/);
  // The number of escalated reports.
  await expect(tiles.nth(0).getByText("1", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: /Remove filter Event: Other Days/ }).click();
  await expect(tiles.nth(0)).toContainText(/Reports\s*12/);
  await page.getByRole("link", { name: "By status" }).click();
  await expect(page).toHaveURL(/stack=status/);
  const months = page.locator("figure").first();
  await months.getByText("Numbers as a table").click();
  await expect(months.getByRole("columnheader").first()).toBeVisible();
  await expect(months.getByRole("columnheader", { name: "Acknowledged" })).toBeVisible();
  expect(await page.content()).not.toMatch(/Zqtitle|Maya.Castillo/i);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: /^PDF/ }).click();
  expect((await download).suggestedFilename()).toMatch(/\.pdf$/);
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("a team member opens the reports of their event from there, and no others", async ({
    page,
    signIn,
    world,
  }) => {
    const { at, both } = await numbers(world);
    await signIn(both);
    await page.goto(at);
    await expect(page.getByRole("link", { name: "Zqtitle number 1 of them" })).toBeVisible();
    await expect(page.getByText("Zqtitle number 0 of them")).toHaveCount(0);
    await expect(page.getByText("Only the event’s team can open it")).toHaveCount(1);
  });

  test("an organization without reports says so, and links to all time", async ({ page, signIn, world }) => {
    const house = await world.newOrganization("Silent House");
    const viewer = await world.person("Sissel Quiet", { organization: [house, "org_viewer"] });
    await signIn(viewer);
    await page.goto(`/orgs/${house.slug}/insights`);
    await expect(page.getByText("No reports in this period")).toBeVisible();
    await page.getByRole("link", { name: "Show all time" }).click();
    await expect(page.getByText("No reports yet")).toBeVisible();
  });
});
