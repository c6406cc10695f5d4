import type { Page } from "@playwright/test";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import type { ReportRecord, TestPerson, TestWorld } from "#e2e/support/world.ts";
import { openMailboxIn, readHtml } from "./support/opened.ts";
import {
  dispatchVisibilityChange,
  expect,
  expectNoSidewaysScroll,
  expectUsableAtEachSize,
  expectUsableOnPhone,
  LAPTOP,
  PHONE,
  test,
  waitForScript,
} from "./support/test.ts";

/** Reports about somebody on the team: who must not see them, and how members of the team step back. */

const pageOf = ({ event }: TestWorld, { id }: ReportRecord) => `/e/${event.slug}/i/${id}`;

const showTeam = (world: TestWorld) =>
  world.as(world.ada).patch(`/api/events/${world.event.id}/report-settings`, { showTeam: true });

/** Opens a dialog. */
async function openForm(page: Page, trigger: string, title: string) {
  await page.getByRole("button", { name: trigger, exact: true }).click();
  return page.getByRole("dialog", { name: title });
}

/**
 * Expects that the top of the page and the inbox say that a report is hidden, and that nobody can assign it to Omar.
 */
async function expectHiddenFromOmar(page: Page, world: TestWorld, report: ReportRecord) {
  const { omar, ada, event } = world;
  await page.goto(`/e/${event.slug}/incidents?search=${encodeURIComponent(report.title)}`);
  const row = page.locator("li").filter({ has: page.locator(`a[href*="${report.id}"]`) });
  await expect(row).toContainText("Hidden from 1 person");
  const choices = page.locator("select[name=to] option");
  await expect(choices.filter({ hasText: omar.name })).toHaveCount(1);
  await row.getByRole("checkbox").check();
  await expect(choices.filter({ hasText: omar.name })).toHaveCount(0);
  await page.setViewportSize(PHONE);
  await row.getByRole("link", { name: report.title }).click();
  await expect(page.getByRole("heading", { level: 1, name: report.title })).toBeVisible();
  const people = page.locator("select[name=assignedToUserId] option");
  expect(
    (await people.allTextContents()).filter((name) => [omar.name, ada.name].includes(name)),
  ).not.toContain(omar.name);
  await page.getByText("Assign to…").click();
  const list = page.locator("details[open]").filter({ hasText: "1 person isn’t listed" });
  await expect(list).toContainText(ada.name);
  await expect(list).not.toContainText(omar.name);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(LAPTOP);
  await page.getByRole("link", { name: "Hidden from 1 person" }).click();
  await expect(page.getByRole("heading", { name: "Who can read this" })).toBeInViewport();
}

const pointerIn = (page: Page) => page.getByRole("note").filter({ hasText: "You named" });

/** Expects that the last step points out a reader who is named and not ticked. */
async function expectPointedOut(page: Page, reader: TestPerson): Promise<void> {
  await expect(pointerIn(page)).toContainText(reader.name);
  await expectUsableOnPhone(page);
}

const seesNoTrace = "Maya reports Omar and one more of the team, and they see no trace of it";
const pointsOut = "the form points out a reader whom she names, until she ticks them";
const title = `${seesNoTrace}; ${pointsOut}`;
test(title, async ({ page, signIn, world }) => {
  const third = await world.person("Third Responder", { events: [[world.event, "Responder"]] });
  await showTeam(world);
  await signIn(world.maya);
  await page.goto(`/e/${world.event.slug}/report`);
  const next = async () => {
    await page.getByRole("button", { name: "Continue" }).click();
  };
  await page.getByLabel("Yes, and I can say who").check();
  await page.getByRole("checkbox", { name: third.name }).check();
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator("[name=description]").fill("He, omar, shouted at me.");
  await page.locator("[name=title]").fill("Shouted at by somebody on the team");
  await next();
  await next();
  await next();
  await next();
  await expectPointedOut(page, world.omar);
  await page.getByRole("button", { name: "Change: Is it about someone" }).click();
  const choice = page.getByRole("group", { name: "Who must not see this report" });
  await choice.getByRole("checkbox", { name: world.omar.name }).check();
  await page.getByRole("button", { name: "Check report" }).click();
  await expect(page.getByText("Who must not see this report").last()).toBeVisible();
  await expect(pointerIn(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Send report" }).click();
  await page.waitForURL(/sent/);
  const found = async (person: TestWorld["omar"]) =>
    (
      await world.as(person).get(`/api/events/slug/${world.event.slug}/incidents?search=Shouted+at+by`)
    ).body.incidents.filter(({ reporterId }: ReportRecord) => reporterId === world.maya.id).length;
  expect(await found(world.omar)).toBe(0);
  expect(await found(world.ada)).toBeGreaterThan(0);
  const id = new URL(page.url()).searchParams.get("id") ?? "";
  const path = `/api/events/${world.event.id}/incidents/${id}`;
  for (const [person, status] of [
    [world.omar, 404],
    [third, 404],
    [world.ada, 200],
  ] as const)
    expect((await world.as(person).get(path)).status).toBe(status);
  await world.service.sql("delete from event_roles where user_id = $1", [third.id]);
});

test("Omar steps out and is led to the inbox", async ({ page, context, signIn, world }) => {
  const report = await world.report(world.maya, world.event, { title: "About a friend of mine" });
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  const form = await openForm(page, "Step out…", "Step out of this incident?");
  await form.getByLabel(/Reason/).fill("We share a flat.");
  await context.setOffline(true);
  await form.getByRole("button", { name: "Step out" }).click();
  await expect(form.getByRole("alert")).toContainText("Not sent: you’re offline.");
  await expect(form.getByLabel(/Reason/)).toHaveValue("We share a flat.");
  await context.setOffline(false);
  const other = await context.newPage();
  waitForScript(other);
  await other.goto(pageOf(world, report));
  await form.getByRole("button", { name: "Step out" }).click();
  await page.waitForURL("/inbox");
  await expect(page.getByText("About a friend of mine")).toHaveCount(0);
  // Neither "Back" nor another tab has it any more.
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await expect(page.getByText("About a friend of mine")).toHaveCount(0);
  await dispatchVisibilityChange(other);
  await expect(other.getByText("About a friend of mine")).toHaveCount(0);
  expect((await page.request.get(pageOf(world, report))).status()).toBe(404);
});

test("Ada hides a report from Omar and shows it again", async ({ page, signIn, world }) => {
  const title = `A friend of theirs ${generateUniqueWord()}`;
  const report = await world.report(world.maya, world.event, { title });
  await signIn(world.ada);
  await page.goto(pageOf(world, report));
  const form = await openForm(page, "Hide from…", "Who should this be hidden from?");
  await form.getByLabel(/Reason/).fill("He is a friend of theirs.");
  await form.getByRole("button", { name: "Hide it" }).click();
  await expect(form.getByRole("alert")).toContainText("Choose someone on the team.");
  await expect(form.getByLabel(/Reason/)).toHaveValue("He is a friend of theirs.");
  await form.getByLabel("Person").selectOption({ label: world.omar.name });
  await form.getByRole("button", { name: "Hide it" }).click();
  const list = page.locator("section").filter({ has: page.locator("#readers") });
  await expect(list.getByText("Let in").first()).toBeVisible();
  await expect(list).toContainText("He is a friend of theirs.");
  const path = `/api/events/${world.event.id}/incidents/${report.id}`;
  expect((await world.as(world.omar).get(path)).status).toBe(404);
  await expectHiddenFromOmar(page, world, report);
  const letIn = await openForm(page, "Let in…", "in?");
  await expect(letIn).toContainText("including what was written while it was hidden from them");
  await letIn.getByRole("button", { name: "Leave as it is" }).click();
  await expect(letIn).toBeHidden();
  await expect(page.getByRole("button", { name: "Let in" })).toBeFocused();
  await page.keyboard.press("Enter");
  await letIn.getByRole("button", { name: "Let in" }).click();
  await expect(list).toContainText("Not hidden from anyone.");
  expect((await world.as(world.omar).get(path)).status).toBe(200);
  await expect(list).toContainText("only these people can read this");
  const end = await openForm(page, "End the list…", "End the list?");
  await end.getByRole("button", { name: "End the list" }).click();
  await expect(list).toContainText("including anyone who joins it later");
});

test("Ada lets somebody who joined later in to what she reads", async ({ page, signIn, world }) => {
  const place = await world.newEvent(world.organization);
  await world.grant(world.ada, place, "Admin");
  await world.grant(world.maya, place, "Reporter");
  const title = `Hidden from a viewer ${generateUniqueWord()}`;
  const report = await world.report(world.maya, place, { title, excludedUserIds: [world.viktor.id] });
  const later = await world.person("Lou Later", { events: [[place, "Responder"]] });
  const path = `/api/events/${place.id}/incidents/${report.id}`;
  expect((await world.as(later).get(path)).status).toBe(404);
  await signIn(world.ada);
  await page.goto(`/e/${place.slug}/team/${later.id}`);
  const card = page.locator("section").filter({ hasText: "One report is closed to" });
  await expect(card.getByRole("link", { name: title })).toBeVisible();
  await expectUsableOnPhone(page);
  await card.getByRole("button", { name: /^Let .*Lou Later.* in$/ }).click();
  await expect(page.getByText("They can read these reports now.")).toBeVisible();
  await expect(card).toHaveCount(0);
  expect((await world.as(later).get(path)).status).toBe(200);
});

test("Maya hides a report from Viktor, who only sees numbers, and she and Ada see who is excluded, also by an invite, at each size", async ({
  page,
  signIn,
  world,
}) => {
  const { maya, omar, viktor, ada, event, organization } = world;
  const report = await world.report(maya, event, { title: `About a viewer ${generateUniqueWord()}` });
  const path = `/api/events/${event.id}/incidents/${report.id}/readers/${omar.id}`;
  await world.as(maya).put(path, { access: "none" });
  const invite = await world.as(ada).post(`/api/events/slug/${event.slug}/invites`, { role: "Responder" });
  const guest = await world.person("Gus Guest");
  await world.as(guest).post(`/api/invites/${invite.body.invite.code}/redeem`);
  await signIn(maya);
  await page.goto(pageOf(world, report));
  const list = page.locator("section").filter({ has: page.locator("#readers") });
  await expect(list.locator("li").filter({ hasText: guest.name })).toContainText("They joined after");
  await expect(page.getByText("You asked for this")).toBeVisible();
  await expectUsableAtEachSize(page);
  const form = await openForm(page, "Hide from…", "Who should this be hidden from?");
  const option = form.getByLabel("Person").locator(`option[value="${viktor.id}"]`);
  await expect(option).toContainText("organization, sees numbers");
  await form.getByLabel("Person").selectOption(viktor.id);
  await form.getByRole("button", { name: "Hide it" }).click();
  await expect(list.locator("li").filter({ hasText: viktor.name })).toContainText("asked for this");
  await signIn(ada);
  await page.goto(pageOf(world, report));
  await expect(page.getByText("The reporter asked for this").first()).toBeVisible();
  const analytics = `/api/organizations/${organization.id}/reports/analytics?timeRange=all`;
  expect((await world.as(viktor).get(analytics)).text).not.toContain(report.title);
  await world.revoke(guest, event);
});

test("the outside person reads and answers what Maya hides from the whole team", async ({
  page,
  signIn,
  world,
}) => {
  await showTeam(world);
  // Keeps the report afterwards, so it's nobody whom other tests count on to have none.
  const vera = await world.person("Vera Lind", { organization: [world.organization, "org_viewer"] });
  await signIn(world.olga);
  await page.goto(`/orgs/${world.organization.slug}/settings`);
  const settings = page.getByRole("form", { name: "Outside person" });
  await settings.getByLabel("Member").selectOption({ label: vera.name });
  await settings.getByRole("button", { name: "Save outside person" }).click();
  await expect(page.getByText("The outside person has been saved.")).toBeVisible();

  await signIn(world.maya);
  await page.goto(`/e/${world.event.slug}/report`);
  await page.getByLabel("Yes, the whole team").check();
  await expect(page.getByText(new RegExp(`.${vera.name}. reads your report`))).toBeVisible();
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator("[name=description]").fill("All of them laughed at me.");
  await page.locator("[name=title]").fill("The whole team laughed at me");
  for (let step = 0; step < 4; step += 1) await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send report" }).click();
  await page.waitForURL(/sent/);
  const id = new URL(page.url()).searchParams.get("id") ?? "";
  expect(await readHtml(page, `/e/${world.event.slug}/i/${id}`)).toMatch(
    new RegExp(`Outside person</dt><dd>((?!</dd>).)*${vera.name}`, "s"),
  );

  await signIn(vera);
  await page.goto("/outside-incidents");
  await expectUsableAtEachSize(page);
  await page.getByRole("link", { name: "The whole team laughed at me" }).first().click();
  await expect(page.getByText("You can read this as the organization’s outside person")).toBeVisible();
  await expect(page.getByText("All of them laughed at me.").first()).toBeVisible();
  await expectUsableOnPhone(page);
  const reply = page.locator("textarea[name=body]").first();
  await reply.fill("Thank you for telling me.");
  await page.getByRole("button", { name: "Send to reporter" }).first().click();
  await expect(page.getByText("Thank you for telling me.").first()).toBeVisible();

  await signIn(world.omar);
  expect((await page.request.get(`/e/${world.event.slug}/i/${id}`)).status()).toBe(404);
  const outsidePerson = `/api/organizations/${world.organization.id}/outside-person`;
  await world.as(world.olga).put(outsidePerson, { userId: null });
});

test("a mailbox names who can't see its report while it is open, and nobody after its half hour", async ({
  page,
  context,
  world,
}) => {
  await showTeam(world);
  const about = {
    title: "About one of the team",
    description: "He shouted.",
    excludedUserIds: [world.omar.id],
  };
  await openMailboxIn(context, world, about);
  await page.goto("/mailbox");
  await expect(page.getByRole("heading", { name: "Who can’t see your report" })).toBeVisible();
  await expect(page.getByText(world.omar.name)).toBeVisible();
  await context.clearCookies({ name: "mailbox" });
  await page.getByRole("button", { name: "Lock on this device" }).click();
  await expect(
    page.getByText("This is no longer open on this device. Your seven words open it again."),
  ).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel("Your seven words")).toBeVisible();
  await expect(page.getByText(world.omar.name)).toHaveCount(0);
});
