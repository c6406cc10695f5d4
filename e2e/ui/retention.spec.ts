import type { Page } from "@playwright/test";
import type { EventRef, PlaceRef, TestPerson, TestWorld } from "#e2e/support/world.ts";
import { openMailboxIn } from "./support/opened.ts";
import { expect, expectUsableOnPhone, test, waitForScript } from "./support/test.ts";

/** When finished reports are deleted: the organization's page, the incident's, and holds. */

type Place = {
  organization: PlaceRef;
  event: EventRef;
  olena: TestPerson;
  tariq: TestPerson;
  tove: TestPerson;
};

/** An organization with an admin, and an event with a team of two. */
async function createPlace(world: TestWorld): Promise<Place> {
  const organization = await world.newOrganization("Lantern Makers of the Northern Harbor Towns");
  const event = await world.newEvent(organization, "Winter Lantern Festival");
  return {
    organization,
    event,
    olena: await world.person("Olena", { organization: [organization, "org_admin"] }),
    tariq: await world.person("Tariq", { events: [[event, "Admin"]] }),
    tove: await world.person("Tove", { events: [[event, "Responder"]] }),
  };
}

async function closedReport(world: TestWorld, { event, tariq }: Place): Promise<string> {
  const report = await world.report(tariq, event);
  await world.move(report, "closed", { assignedToUserId: tariq.id });
  return report.id;
}

/** Opens a form by its button. */
async function openForm(page: Page, name: string) {
  await page.getByRole("button", { name, exact: true }).click();
  return page.getByRole("dialog");
}

test("Olena sees what new times would delete, and saves them", async ({ page, context, signIn, world }) => {
  const place = await createPlace(world);
  await closedReport(world, place);
  await signIn(place.olena);
  await page.goto(`/orgs/${place.organization.slug}/retention`);
  await expect(page.getByText("No reports have a deletion date.")).toBeVisible();
  await expect(page.getByText("1 finished report has no deletion date.")).toBeVisible();
  await page.getByLabel(/^Closed reports/).fill("241");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByLabel(/^Closed reports/).fill("6");
  await expect(page).toHaveURL(/\/retention$/);
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByText("This isn’t saved yet")).toBeVisible();
  await expect(page.getByRole("heading", { name: /^1 report in / })).toBeVisible();
  await expect(page.getByRole("row", { name: /Winter Lantern Festival/ })).toBeVisible();
  await expectUsableOnPhone(page);
  const preview = page.url();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Save these times" }).click();
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Not sent: you’re offline.");
  await context.setOffline(false);
  await page.getByRole("button", { name: "Save these times" }).click();
  await expect(page.getByText(/The times have been saved/)).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel(/^Closed reports/)).toHaveValue("6");
  await page.goto(preview);
  await expect(page.getByLabel(/^Closed reports/)).toHaveValue("6");
  await expect(page.getByRole("heading", { name: /^1 report in / })).toBeVisible();
  await expect(page.getByText("This isn’t saved yet")).toHaveCount(0);
});

test("Tariq puts a report on hold, and Tove releases it", async ({ page, context, signIn, world }) => {
  const place = await createPlace(world);
  const id = await closedReport(world, place);
  await world
    .as(place.olena)
    .put(`/api/organizations/${place.organization.id}/retention`, { closedMonths: 6 });
  await signIn(place.tariq);
  await page.goto(`/e/${place.event.slug}/i/${id}`);
  await expect(page.getByText(/This report will be deleted on/)).toBeVisible();
  await expect(page.getByText("Closed reports are deleted after 6 months.")).toBeVisible();
  const other = await context.newPage();
  waitForScript(other);
  // It must not learn of the hold before it sends its own, neither from the stream nor from the first window.
  await other.route("**/api/users/me/stream*", (route) => route.abort());
  await other.addInitScript(() => Reflect.deleteProperty(globalThis, "BroadcastChannel"));
  await other.goto(page.url());
  const form = await openForm(page, "Put on hold…");
  await form.getByRole("button", { name: "Put on hold" }).last().click();
  await expect(form.getByRole("alert")).toContainText("missing");
  await form.getByLabel("Why do you need to keep it?").fill("LANTERN: the police asked for it.");
  await form.getByRole("button", { name: "Put on hold" }).last().click();
  await expect(page.getByText("This report won’t be deleted for now.")).toBeVisible();
  await expect(page.getByText(/Put on hold by Tariq on/)).toBeVisible();
  await expect(page.getByText("LANTERN: the police asked for it.").first()).toBeVisible();
  await expect(page.getByText(/someone else on the team has to release it/)).toBeVisible();
  await expect(page.getByText("Release hold")).toHaveCount(0);
  // What the other tab saves counts, and the hold stays that of whoever set it.
  const second = await openForm(other, "Put on hold…");
  await second.getByLabel("Why do you need to keep it?").fill("The same, once more.");
  await second.getByRole("button", { name: "Put on hold" }).last().click();
  await expect(other.getByText("The same, once more.").first()).toBeVisible();
  await expect(other.getByText(/Put on hold by Tariq on/)).toBeVisible();

  await signIn(place.tove);
  await page.goto(`/e/${place.event.slug}/i/${id}`);
  const release = await openForm(page, "Release hold…");
  await release.getByRole("button", { name: "Release hold" }).last().click();
  await expect(page.getByText(/This report will be deleted on/)).toBeVisible();
});

test("who reads the mailbox finds the day there, and loses no word once the report is deleted", async ({
  page,
  context,
  world,
}) => {
  const place = await createPlace(world);
  await world
    .as(place.olena)
    .put(`/api/organizations/${place.organization.id}/retention`, { withoutNameMonths: 6 });
  await openMailboxIn(context, { service: world.service, event: place.event });
  const { body } = await world.as(place.tariq).get(`/api/events/${place.event.id}/incidents`);
  const [report] = body.incidents;
  await world.move(report, "closed", { assignedToUserId: place.tariq.id });
  await page.goto("/mailbox");
  await expect(page.getByText(/This report will be deleted on/)).toBeVisible();
  await page.getByLabel("Message to the response team").fill("Please keep it a little longer.");
  // The mailbox goes with its report.
  await world.service.sql("delete from conversations where id = $1", [report.id]);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByLabel("Your seven words")).toBeVisible();
  await expect(page.getByText("Please keep it a little longer.")).toBeVisible();
  await expect(page.getByText(/This report will be deleted on/)).toHaveCount(0);
});
