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

test("a leaving member's incidents are handed over, the member is removed, and roles are granted and revoked, except the last one", async ({
  page,
  signIn,
  world,
}) => {
  const { event, admin } = await newPlace(world);
  await signIn(admin);
  await test.step("a leaving member's incidents are handed over, and the member is removed", async () => {
    const [leaving, taking] = [
      await world.person("Leo Leaving", { events: [[event, "Responder"]] }),
      await world.person("Tara Taking", { events: [[event, "Responder"]] }),
    ];
    const reports = [
      await world.report(leaving, event, { title: "Argument at the boat house" }),
      await world.report(leaving, event, { title: "Shove on the landing stage" }),
    ];
    for (const report of reports) await world.move(report, "investigating", { assignedToUserId: leaving.id });

    await page.goto(`/e/${event.slug}/team`);
    await expect(page.getByRole("row").filter({ hasText: "Leo Leaving" })).toContainText("2, oldest");
    await page.getByRole("link", { name: "Leo Leaving" }).click();
    const handover = form(page, "Hand over");
    await handover.getByLabel("Shove on the landing stage").uncheck();
    await handover.getByLabel("Hand over to").selectOption({ label: "Tara Taking" });
    await handover.getByRole("button", { name: "Hand over" }).click();
    await expect(page.getByText("1 incident was handed over.")).toBeVisible();
    await expect(page.getByRole("checkbox", { name: "Argument at the boat house" })).toHaveCount(0);
    await expect(page.getByRole("checkbox", { name: "Shove on the landing stage" })).toBeVisible();
    const assignee = async (report: { id: string }) =>
      (await world.as(admin).get(`/api/events/${event.id}/incidents/${report.id}`)).body.incident
        .assignedResponder?.id;
    expect([await assignee(reports[0]!), await assignee(reports[1]!)]).toEqual([taking.id, leaving.id]);

    await open(page, "Remove from event…");
    await expect(page.getByText("1 open incident is still assigned to this person")).toBeVisible();
    await page.getByRole("button", { name: "Remove from event", exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`/e/${event.slug}/team$`));
    await expect(page.getByRole("link", { name: "Leo Leaving" })).toHaveCount(0);
  });
  await test.step("roles are granted and revoked, except the last one", async () => {
    const person = await world.person("Robin Rolls", { events: [[event, "Reporter"]] });
    await page.goto(`/e/${event.slug}/team/${person.id}`);
    const roles = form(page, "Roles in this event");
    await roles.getByLabel("Attendee").uncheck();
    await roles.getByRole("button", { name: "Save roles" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Select at least one role" })).toBeVisible();
    await roles.getByLabel("Responder").check();
    await roles.getByRole("button", { name: "Save roles" }).click();
    await expect(page.getByText("The roles have been saved.")).toBeVisible();
    await expect
      .poll(async () => (await world.as(person).get(`/api/events/slug/${event.slug}/my-roles`)).body.roles)
      .toEqual(["Responder"]);
  });
});

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

test("unsaved settings are left after a question, for the team's page, which leads to an invite for a Responder", async ({
  page,
  signIn,
  world,
}) => {
  const { event } = await openSettings(page, signIn, world);
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
  await test.step("the page of the team leads to an invite for a Responder", async () => {
    await page.getByRole("link", { name: "Invite people" }).click();
    const role = form(page, "New invite").getByLabel("Role");
    await expect(role).toHaveValue("Responder");
    await page.goto(`/e/${event.slug}/invites`);
    await expect(role).toHaveValue("Reporter");
  });
});

test("an invite is made, counted, put on a poster and disabled", async ({ page, signIn, world }) => {
  const { event, admin } = await newPlace(world);
  await signIn(admin);
  await page.goto(`/e/${event.slug}/invites`);
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

  await page.goto(`/e/${event.slug}/invites`);
  await made.getByRole("button", { name: /^Disable/ }).click();
  // What was pressed has moved: the keyboard goes on from what was done, and not from the top of the page.
  await expect(page.getByRole("status").filter({ hasText: "The invite is disabled" })).toBeVisible();
  await expect(page.locator(":focus")).toContainText("The invite is disabled");
  await page.getByText("Inactive links (1)").click();
  await expect(made.getByText("Disabled", { exact: true })).toBeVisible();
  await expect(made.getByLabel("Link", { exact: true })).toHaveCount(0);
});

test("the audit log is filtered, exported and verified", async ({ page, signIn, world }) => {
  const { event, admin } = await newPlace(world);
  const { code } = await invite(world, admin, event, { role: "Reporter" });
  await world.as(await world.person("Ivo Invited")).post(`/api/invites/${code}/redeem`);
  await signIn(admin);
  await page.goto(`/e/${event.slug}/audit`);
  await page.getByLabel("Action").selectOption({ label: "Invites: all actions" });
  await page.getByRole("button", { name: "Apply filters" }).click();
  await expect(page).toHaveURL(/action=invite\./);
  const rows = page.getByRole("row");
  await expect(rows.filter({ hasText: "Created an invite" })).toHaveCount(1);
  await expect(rows.filter({ hasText: "Joined with an invite" })).toContainText("Ivo Invited");
  await expect(rows.filter({ hasText: "Viewed the audit log" })).toHaveCount(0);

  await page.getByRole("link", { name: "Show only entries by Ivo Invited" }).click();
  await expect(page.getByRole("link", { name: "Remove filter Person: Ivo Invited" })).toBeVisible();
  await expect(rows).toHaveCount(2);
  await page.getByText(/^Entry \d+$/).click();
  await expect(page.getByText("invite.use", { exact: true })).toBeVisible();

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download as CSV" }).click(),
  ]);
  const lines = (await text(await download.createReadStream())).trim().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^When \(.+\),Who,What,/);
  expect(lines[1]).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2},Ivo Invited,Joined with an invite,/);

  await page.getByRole("link", { name: "Check the log" }).click();
  await expect(page.getByText("The log is intact")).toBeVisible();
  await page.goto(`/e/${event.slug}/audit?to=2020-01-01`);
  await expect(page.getByText("No matching entries")).toBeVisible();
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

/** Opens a dialog by its button; without script a part of the page. */
async function open(page: Page, name: string): Promise<void> {
  await page.getByText(name, { exact: true }).first().click();
}

async function invite(
  world: TestWorld,
  admin: TestPerson,
  event: EventRef,
  wanted: Record<string, unknown>,
): Promise<{ id: string; code: string }> {
  const { status, body } = await world.as(admin).post(`/api/events/slug/${event.slug}/invites`, wanted);
  expect(status).toBe(201);
  return body.invite;
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("the code of conduct can be previewed before it is saved", async ({ page, signIn, world }) => {
    await openSettings(page, signIn, world);
    const text = form(page, "Code of conduct").getByLabel("Code of conduct");
    await text.fill("# Be kind");
    await page.getByRole("button", { name: "Preview" }).click();
    const preview = page.getByRole("region", { name: "As readers see it" });
    await expect(preview.getByRole("heading", { name: "Be kind" })).toBeVisible();
    await expect(text).toHaveValue("# Be kind");
  });

  test("somebody accepts an invite after signing in, and finds it accepted afterwards", async ({
    page,
    world,
  }) => {
    const { event, admin } = await newPlace(world);
    const { code } = await invite(world, admin, event, { role: "Responder" });
    const person = await world.person("Nia Newcomer");
    await page.goto(`/invite/${code}`);
    await expect(
      page.getByRole("heading", { level: 1, name: "You’re invited to Lakeside gathering" }),
    ).toBeVisible();
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
    await page.getByLabel("Email").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill("a quiet river at dawn");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`/invite/${code}`);
    await page.getByRole("button", { name: "Join Lakeside gathering" }).click();
    await expect(page).toHaveURL(`/e/${event.slug}/incidents`);
    await page.goto(`/invite/${code}`);
    await expect(page.getByText("You’ve already accepted this invite")).toBeVisible();
    const { code: asReporter } = await invite(world, admin, event, { role: "Reporter" });
    await page.goto(`/invite/${asReporter}`);
    await expect(page.getByText("You already belong to Lakeside gathering")).toBeVisible();
    await expect(page.getByRole("button", { name: /^Join/ })).toHaveCount(0);
  });

  test("an unusable invite says why, and where people can still report", async ({ page, world }) => {
    const { event, admin } = await newPlace(world);
    const { code: expired } = await invite(world, admin, event, { role: "Reporter" });
    await world.service.sql("update invites set expires_at = now() - interval '1 second' where code = $1", [
      expired,
    ]);
    const { code: usedUp } = await invite(world, admin, event, { role: "Reporter", maxUses: 1 });
    const taken = await world.as(await world.person("First Come")).post(`/api/invites/${usedUp}/redeem`);
    expect(taken.status).toBe(200);
    await page.goto(`/invite/${expired}`);
    await expect(heading(page, "This invite has expired")).toBeVisible();
    await expect(page).toHaveTitle(/^This invite has expired/);
    await page.goto(`/invite/${usedUp}`);
    await expect(heading(page, "This invite can no longer be used")).toBeVisible();
    await expect(page).toHaveTitle(/^This invite can no longer be used/);
    await expect(page.getByText("You’re invited to")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Create account and accept" })).toHaveCount(0);
    await page.getByRole("link", { name: "Go to the page of Lakeside gathering" }).click();
    await expect(page).toHaveURL(`/e/${event.slug}`);
  });

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

  test("people who aren't on the team see the team, and no other attendees", async ({
    page,
    signIn,
    world,
  }) => {
    const event = await world.newEvent(world.organization, "Riverside reading night");
    const [reader, other, answers] = [
      await world.person("Rita Reader", { events: [[event, "Reporter"]] }),
      await world.person("Otto Other", { events: [[event, "Reporter"]] }),
      await world.person("Rosa Responder", { events: [[event, "Responder"]] }),
    ];
    const names = page.getByRole("rowheader");
    await signIn(reader);
    await page.goto(`/e/${event.slug}/team`);
    await expect(names).toHaveText([/Rita Reader/, /Rosa Responder/]);
    await expect(page.getByText(other.name)).toHaveCount(0);
    await expect(page.getByText("2 people", { exact: true })).toBeVisible();
    await page.goto(`/e/${event.slug}/team?role=Reporter`);
    await expect(names).toHaveText([/Rita Reader/]);
    await expect(page.getByText(other.name)).toHaveCount(0);
    await signIn(answers);
    await page.goto(`/e/${event.slug}/team?role=Reporter`);
    await expect(names).toHaveText([/Otto Other/, /Rita Reader/]);
  });

  test("Lena finds her response team first, and attendees on separate pages", async ({
    page,
    signIn,
    world,
  }) => {
    const { event, admin } = await newPlace(world, "Riverside summer camp");
    await world.person("Rosa Responder", { events: [[event, "Responder"]] });
    await world.service.sql(
      `with people as (insert into users (email, name, password_hash)
       select gen_random_uuid() || '@example.org', 'Attendee ' || to_char(n, 'FM00'), 'x' from generate_series(1, 25) n returning id)
     insert into event_roles (event_id, user_id, role_name) select $1, id, 'Reporter' from people`,
      [event.id],
    );
    await signIn(admin);
    await page.goto(`/e/${event.slug}/team`);
    await expect(page.getByText("2 people on the response team")).toBeVisible();
    await expect(page.getByText("25 attendees")).toBeVisible();
    await expect(page.getByRole("heading", { level: 2 })).toHaveText(["Response team", "Attendees"]);
    const names = (group: string) => page.getByRole("region", { name: group }).getByRole("rowheader");
    await expect(names("Response team")).toHaveText([/Lena Lake/, /Rosa Responder/]);
    await expect(names("Attendees")).toHaveCount(20);
    await page.getByRole("region", { name: "Attendees" }).getByRole("link", { name: "Page 2" }).click();
    await expect(names("Attendees")).toHaveText([/21/, /22/, /23/, /24/, /25/]);
    await expect(names("Response team")).toHaveText([/Lena Lake/, /Rosa Responder/]);
    await page.getByLabel("Name or email").fill("Attendee 07");
    await page.getByRole("button", { name: "Apply" }).click();
    await expect(names("Attendees")).toHaveText([/Attendee 07/]);
    await expect(page.getByRole("region", { name: "Response team" })).toHaveCount(0);
  });
});
