import type { Page } from "@playwright/test";
import type { ReportRecord, TestPerson, TestWorld } from "#e2e/support/world.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import {
  expect,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  expectUsableAtEachSize,
  test,
} from "./support/test.ts";

/** Reports that are closed to each member of the team until they say whether they have a conflict of interest. */

const TITLE = "Words that no one has opened";

const pageOf = ({ event }: TestWorld, { id }: ReportRecord) => `/e/${event.slug}/i/${id}`;

async function fileCheckedReport(world: TestWorld): Promise<ReportRecord> {
  const report = await world.report(world.maya, world.event, {
    title: TITLE,
    description: "What happened is for those who have answered.",
    severity: "high",
    reportedPersonName: "Jo Example",
  });
  await world.service.sql("update incidents set conflict_check = true where id = $1", [report.id]);
  return report;
}

const answer = (world: TestWorld, person: TestPerson, { id }: ReportRecord, given: string) =>
  world.as(person).post(`/api/events/${world.event.id}/incidents/${id}/readers/me/answer`, { answer: given });

async function expectClosed(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1, name: "Before you open this incident" })).toBeVisible();
  await expect(page.getByText("Jo Example")).toBeVisible();
  expect(await page.content()).not.toContain("What happened is for those");
  expect(await page.content()).not.toContain(TITLE);
}

test("Omar finds a closed report and reads after he says that he has some connection, never sees one with a conflict, and opens one in an emergency, of which Ada reads", async ({
  page,
  context,
  signIn,
  world,
}) => {
  await signIn(world.omar);
  await test.step("Omar finds a closed report, says that he has some connection, and reads", async () => {
    const report = await fileCheckedReport(world);
    await page.goto(`/e/${world.event.slug}/incidents`);
    const box = page.locator("section").filter({ hasText: "waits for your answer" });
    await expect(box.locator(`a[href*="${report.id}"]`)).toContainText(`About ${isolateBidi("Jo Example")}`);
    await box.locator(`a[href*="${report.id}"]`).click();
    await expectClosed(page);
    const button = page.getByRole("button", { name: "Some connection" });
    await expect(button).toHaveAccessibleDescription(/team sees a mark beside your name/);
    await button.click();
    await expect(page.getByRole("heading", { level: 1, name: TITLE })).toBeVisible();
    await expect(page.getByText(`Some connection: ${isolateBidi(world.omar.name)}`)).toBeVisible();
  });
  await test.step("Omar has a conflict, and never sees it", async () => {
    const report = await fileCheckedReport(world);
    await page.goto(pageOf(world, report));
    await page.getByRole("button", { name: "Conflict: don’t show me" }).click();
    await page.waitForURL("/inbox");
    await page.goBack();
    await expect(page.getByText("Jo Example")).toHaveCount(0);
    expect((await page.request.get(pageOf(world, report))).status()).toBe(404);
  });
  await test.step("Omar opens it in an emergency, and Ada reads why", async () => {
    const report = await fileCheckedReport(world);
    await page.goto(pageOf(world, report));
    await page.getByText("I must open it now").click();
    const open = page.getByRole("button", { name: "Open without an answer" });
    await open.click();
    await expect(page.getByRole("alert").first()).toContainText("is missing");
    await expectClosed(page);
    await page.getByLabel("Why can’t it wait?").fill("Somebody is in danger right now.");
    await context.setOffline(true);
    await open.click();
    await expect(page.getByRole("alert").first()).toContainText("Not sent: you’re offline.");
    await context.setOffline(false);
    await open.click();
    await expect(page.getByRole("heading", { level: 1, name: TITLE })).toBeVisible();
    await answer(world, world.ada, report, "none");
    await signIn(world.ada);
    await page.goto(pageOf(world, report));
    await expect(page.getByText(`Reason: ${isolateBidi("Somebody is in danger right now.")}`)).toBeVisible();
  });
  await test.step("Ada, who opens one in an emergency, isn't offered to hide it from anybody", async () => {
    const report = await fileCheckedReport(world);
    const path = `/api/events/${world.event.id}/incidents/${report.id}/readers/me/emergency`;
    const reason = "Somebody is in danger right now.";
    expect((await world.as(world.ada).post(path, { reason })).status).toBe(200);
    await page.goto(pageOf(world, report));
    await expect(page.getByText("Step out…")).toBeVisible();
    await expect(page.getByText("Hide from…")).toHaveCount(0);
    for (const person of [world.ada, world.omar]) await answer(world, person, report, "none");
    await page.reload();
    await expect(page.getByText("Hide from…")).toBeVisible();
  });
});

test("Ada names the reported person, those who haven't answered see the name, and the closed incident can be used at each size", async ({
  page,
  context,
  signIn,
  world,
}) => {
  const report = await fileCheckedReport(world);
  await answer(world, world.ada, report, "none");
  await signIn(world.ada);
  await page.goto(pageOf(world, report));
  await page.getByLabel("Name of the person it is about").fill("Kim Example");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("The name has been saved.")).toBeVisible();
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  await expect(page.getByText("Kim Example")).toBeVisible();
  await expectUsableAtEachSize(page);
  await context.addCookies([{ name: "heed_locale", value: "ar", url: page.url() }]);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  // The colors are those of the page in English.
  await expectStructureAccessible(page);
  await expectNoSidewaysScroll(page);
});
