import type { Page } from "@playwright/test";
import type { ReportRecord, TestWorld } from "#e2e/support/world.ts";
import { expect, test } from "./support/test.ts";

/** How a report ends: what its reporter is told, what they write after that, and who is told of what. */

const pageOf = ({ event }: TestWorld, { id }: ReportRecord) => `/e/${event.slug}/i/${id}`;
const apiOf = ({ event }: TestWorld, { id }: ReportRecord) => `/api/events/${event.id}/incidents/${id}`;
const OUTCOME = "We spoke with the person. They have left the event.";

async function messagesOf(world: TestWorld, report: ReportRecord) {
  const { body } = await world.as(world.maya).get(`${apiOf(world, report)}/comments`);
  return body.comments.map(({ body: text, outcome }: { body: string; outcome: boolean }) => [text, outcome]);
}

/** Opens a status change. */
async function openChange(page: Page, name: "Resolve…" | "Close…") {
  await page.getByRole("button", { name, exact: true }).click();
  return page.getByRole("dialog", { name: name.replace("…", "") });
}

test("Omar resolves a report and tells Maya the outcome, based on the template", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  const dialog = await openChange(page, "Resolve…");
  await dialog.getByLabel("Note").fill("LANTERN: talked to both.");
  const message = dialog.getByLabel("Message to the reporter");
  await expect(message).toHaveValue(/^Thank you for telling us/);
  await message.fill(OUTCOME);
  await dialog.getByRole("button", { name: "Resolve", exact: true }).click();
  await expect(page.getByText("Outcome, sent to the reporter")).toBeVisible();
  expect(await messagesOf(world, report)).toEqual([[OUTCOME, true]]);
});

test("whoever resolves a report that somebody else has just resolved sees their record and outcome first", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  const dialog = await openChange(page, "Resolve…");
  await dialog.getByLabel("Note").fill("My own note.");
  await dialog.getByLabel("Message to the reporter").fill("My own outcome.");
  await world.move(report, "resolved", { notes: "Ada’s record.", outcome: OUTCOME });
  await dialog.getByRole("button", { name: "Resolve", exact: true }).click();
  const versions = dialog.getByRole("alert").filter({ hasText: "Current version" });
  for (const text of ["Ada’s record.", OUTCOME, "My own note.", "My own outcome."])
    await expect(versions).toContainText(text);
  await dialog.getByRole("radio", { name: "Don’t send a message" }).check();
  await world.move(report, "investigating");
  await dialog.getByRole("button", { name: "Resolve", exact: true }).click();
  await expect(versions).toContainText("Investigating");
  await expect(versions).toContainText("My own note.");
  await expect(versions).not.toContainText("My own outcome.");
  expect(await messagesOf(world, report)).toEqual([[OUTCOME, true]]);
});

test("Maya writes on a closed report; Omar finds it under “Needs us” and reopens it", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event, { title: "The kettle was thrown again" });
  await world.move(report, "closed", { outcome: OUTCOME });
  await world.as(world.maya).post(`${apiOf(world, report)}/comments`, { body: "It happened again today." });
  await signIn(world.omar);
  await page.goto("/inbox?needsUs=true");
  await page.getByRole("link", { name: "The kettle was thrown again" }).first().click();
  await expect(page.getByText("The reporter has written since this was closed")).toBeVisible();
  await page.locator("main").getByRole("button", { name: "Reopen…" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Reopen" });
  await dialog.getByLabel("Note").fill("It happened again.");
  await dialog.getByRole("button", { name: "Reopen", exact: true }).click();
  await expect(page.getByText("The reporter has written since")).toHaveCount(0);
});
