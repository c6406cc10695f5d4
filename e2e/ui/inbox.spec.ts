import type { Page } from "@playwright/test";
import type { ReportRecord, TestWorld } from "#e2e/support/world.ts";
import {
  expect,
  expectAccessible,
  expectAccessibleInEachTheme,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  expectUsableAtEachSize,
  LAPTOP,
  openLivePage,
  PHONE,
  test,
} from "./support/test.ts";

/** The desk of a response team: keys, many rows at once, saved views, news. */

/** Reports that nothing else in the event is called like, newest first; and the list of just these. */
async function createInbox(
  world: TestWorld,
  word: string,
  count = 3,
): Promise<{ path: string; reports: ReportRecord[] }> {
  const reports: ReportRecord[] = [];
  for (let n = 1; n <= count; n += 1)
    reports.unshift(await world.report(world.maya, world.event, { title: `${word} report number ${n}` }));
  return { path: `/e/${world.event.slug}/incidents?search=${word}`, reports };
}

const link = (page: Page, { title }: ReportRecord) => page.getByRole("link", { name: title });
const box = (page: Page, { title }: ReportRecord) =>
  page.getByRole("checkbox", { name: `Select “${title}”` });

const chip = (page: Page, name: string | RegExp) =>
  page.getByRole("search").getByRole("button", { name, exact: typeof name === "string" });
const queryIn = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
/** That of the open chip; before it stands the one that Enter presses. */
const apply = (page: Page) => page.getByRole("search").getByRole("button", { name: "Apply" }).last();

/** Script has taken over once a key leads to the first row; k stays there. */
async function goToFirst(page: Page, report: ReportRecord): Promise<void> {
  await expect(async () => {
    await page.keyboard.press("k");
    await expect(link(page, report)).toBeFocused({ timeout: 250 });
  }).toPass();
}

async function now(world: TestWorld, { id }: ReportRecord): Promise<ReportRecord> {
  const { body } = await world.as(world.ada).get(`/api/events/${world.event.id}/incidents/${id}`);
  return body.incident;
}

test("in Arabic, a row's details follow the page from right to left, each part in its own direction", async ({
  page,
  context,
  signIn,
  world,
}) => {
  const [report] = (await createInbox(world, "Tamarind", 1)).reports as [ReportRecord];
  await signIn(world.omar);
  // Without a deadline, and on a wide screen, both parts have room on the line.
  await page.setViewportSize({ width: 1800, height: 900 });
  await world.move(report, "closed");
  await context.addCookies([{ name: "heed_locale", value: "ar", url: process.env.HEED_UI_URL ?? "" }]);
  await page.goto("/inbox?status=closed&sort=createdAt");
  const parts = page
    .getByRole("listitem")
    .filter({ has: link(page, report) })
    .locator("p bdi");
  await expect(parts).toHaveText([/Gathering/, new RegExp(report.codeName as string), world.maya.name]);
  const [event, name] = await parts.evaluateAll((all) =>
    all.map((part) => ({
      left: part.getBoundingClientRect().left,
      direction: getComputedStyle(part.parentElement as HTMLElement).direction,
    })),
  );
  expect([event?.direction, name?.direction]).toEqual(["rtl", "rtl"]);
  expect(event?.left).toBeGreaterThan(name?.left ?? Infinity);
});

test("with the keyboard alone, reports are found, changed, restored and ticked, the focus follows a row, and opening one doesn't restyle the page or fetch icons again", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Quince");
  const [first, second, third] = reports as [ReportRecord, ReportRecord, ReportRecord];
  await signIn(world.omar);
  await page.goto(path);
  await goToFirst(page, first);
  await page.keyboard.press("j");
  await expect(link(page, second)).toBeFocused();
  await page.keyboard.press("a");
  await expect(page.getByRole("status").filter({ hasText: "Assigned." })).toBeVisible();
  expect((await now(world, second)).assignedResponderId).toBe(world.omar.id);
  await expect(link(page, second)).toBeFocused();

  await page.keyboard.press("z");
  await expect(page.getByText("Undone.")).toBeVisible();
  expect((await now(world, second)).assignedResponderId).toBeNull();

  await page.keyboard.press("s");
  const dialog = page.getByRole("dialog", { name: "Change status" });
  await expect(dialog.getByRole("radio", { name: "Submitted" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "Status changed." })).toBeVisible();
  expect((await now(world, second)).state).toBe("acknowledged");

  await page.keyboard.press("v");
  await expect(page.getByRole("dialog", { name: "Set severity" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(link(page, second)).toBeFocused();

  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("j");
  await expect(page.getByRole("searchbox")).toHaveValue("j");
  await page.keyboard.press("Escape");
  await expect(link(page, second)).toBeFocused();
  await expect(page.getByRole("searchbox")).toHaveValue("Quince");
  await page.keyboard.press("k");
  await expect(link(page, first)).toBeFocused();
  await test.step("the shifted x ticks a range, the keys of g lead to views, and the sheet turns single keys off", async () => {
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Shift+X");
    for (const report of reports) await expect(box(page, report)).toBeChecked();
    await expect(page.getByText("3 incidents selected")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(box(page, first)).not.toBeChecked();
    // The second key counts only soon after the first one.
    await expect(async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("n");
      await expect(page).toHaveURL(/needsUs=true/, { timeout: 5000 });
    }).toPass();
    await page.keyboard.press("?");
    await page.getByRole("button", { name: "Turn off single-key shortcuts" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press("j");
    await expect(page.getByRole("listitem").getByRole("link").first()).not.toBeFocused();
    const omar = world.as(world.omar);
    expect((await omar.get("/api/users/me")).body.account.singleKeys, "on every device").toBe(false);
    await omar.patch("/api/users/me/profile", { singleKeys: true });
  });
  await page.goto("/inbox?search=Quince&assigned=unassigned");
  await page.keyboard.press("?");
  await expect(page.getByRole("button", { name: "Turn off single-key shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await test.step("the focus follows a row that a key changes, and moves to the next one when it leaves the list", async () => {
    await goToFirst(page, first);
    await page.keyboard.press("j");
    for (const [key, said] of [
      ["p", "Pinned."],
      ["p", "Unpinned."],
      ["z", "Undone."],
      ["u", "Marked as new."],
    ] as const) {
      await page.keyboard.press(key);
      await expect(page.getByRole("status").filter({ hasText: said })).toBeVisible();
      await expect(link(page, second)).toBeFocused();
    }
    await page.keyboard.press("a");
    await expect(link(page, second)).toHaveCount(0);
    await expect(link(page, third)).toBeFocused();
    await page.keyboard.press("k");
    await expect(link(page, first)).toBeFocused();
  });
  await test.step("opening a report doesn't restyle the page or fetch icons again", async () => {
    const scheme = page.locator("meta[name=color-scheme]");
    const icons = page.locator("link[rel=icon], link[rel=apple-touch-icon]");
    await scheme.evaluate((meta) => meta.setAttribute("data-first", ""));
    await icons.evaluateAll((links) => links.forEach((one) => one.setAttribute("data-first", "")));
    const before = await page.title();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: first.title })).toBeVisible();
    // What the head holds of a page comes with its title.
    await expect(page).not.toHaveTitle(before);
    await expect(scheme).toHaveAttribute("data-first");
    await expect(scheme).toHaveAttribute("content", "light dark");
    await expect(icons).toHaveCount(3);
    for (const icon of await icons.all()) await expect(icon).toHaveAttribute("data-first");
  });
});

test("Escape leaves the search field for the list, a report for its row, and going back clears the search", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Salak");
  const [, second] = reports as [ReportRecord, ReportRecord];
  await signIn(world.omar);
  await page.goto(`/e/${world.event.slug}/incidents`);
  const field = page.getByRole("searchbox");
  await test.step("Escape leaves the search field for the list, also when it is blank", async () => {
    const first = page.locator("[data-row]").first().getByRole("link");
    await field.click();
    await page.keyboard.press("Escape");
    await expect(first).toBeFocused();
    await page.keyboard.press("/");
    await expect(field).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(first).toBeFocused();
  });
  await test.step("going back to a list without a search clears the search field", async () => {
    await expect(async () => {
      await page.keyboard.press("/");
      await expect(field).toBeFocused({ timeout: 250 });
    }).toPass();
    await field.fill("Salak");
    await field.press("Enter");
    await expect(page).toHaveURL(/search=Salak/);
    await expect(page.getByText("3 incidents", { exact: true })).toBeVisible();
    await page.goBack();
    await expect(page).not.toHaveURL(/search=/);
    await expect(field).toHaveValue("");
  });
  await test.step("Escape leads from a report back to its row in the list", async () => {
    await page.goto(path);
    await link(page, second).click();
    await expect(page.getByRole("heading", { level: 1, name: second.title })).toBeVisible();
    await expect(async () => {
      await page.keyboard.press("Escape");
      await expect(page.getByRole("searchbox")).toHaveValue("Salak", { timeout: 500 });
    }).toPass();
    await expect(link(page, second)).toBeFocused();
  });
});

test("rows that are checked before hydration are selected, and can be unchecked after it", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Quandong");
  const [first, second] = reports as [ReportRecord, ReportRecord];
  await signIn(world.omar);
  // A page of its own: the test's waits for script by itself.
  const slow = await page.context().newPage();
  const script = Promise.withResolvers<void>();
  await slow.route("**/_next/static/**", async (route) => {
    if (route.request().resourceType() === "script") await script.promise;
    await route.continue();
  });
  await slow.goto(path, { waitUntil: "commit" });
  await box(slow, first).check();
  await box(slow, second).check();
  script.resolve();
  await expect(slow.getByText("2 incidents selected")).toBeVisible();
  await expect(box(slow, first)).toBeChecked();
  await box(slow, second).uncheck();
  await expect(slow.getByText("1 incident selected")).toBeVisible();
  await slow.getByRole("button", { name: "Acknowledge" }).click();
  await expect.poll(async () => (await now(world, first)).state).toBe("acknowledged");
  expect((await now(world, second)).state).toBe("submitted");
});

test("after a bulk action, rows that somebody else changed stay checked, with the reason", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Damson");
  const [stale, second, third] = reports as [ReportRecord, ReportRecord, ReportRecord];
  await signIn(world.omar);
  await page.goto(path);
  await box(page, stale).check();
  await page.getByRole("button", { name: "Select all 3 on this page" }).click();
  // The page doesn't learn of the change before the action, as when both come at the same time.
  await page.route("**/inbox/rows?*", (route) => route.abort());
  await world.move(stale, "acknowledged", { assignedToUserId: undefined });
  const severity = page.getByRole("combobox", { name: "Severity" });
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await expect(severity, "nobody has chosen one yet").toBeFocused();
  expect((await now(world, second)).severity).toBeNull();
  await severity.selectOption("Medium");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  const alert = page.getByRole("alert").filter({ hasText: "Severity set for 2 of 3." });
  await expect(alert).toContainText(`${stale.title}: someone else changed it in the meantime`);
  await expect(page.getByText("Severity set for 2 of 3.")).toHaveCount(1);
  await expect(box(page, stale)).toBeChecked();
  for (const report of [second, third]) {
    await expect(box(page, report)).not.toBeChecked();
    expect((await now(world, report)).severity).toBe("medium");
  }
  expect((await now(world, stale)).severity).toBeNull();
  await alert.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Undone.")).toBeVisible();
  await expect(alert).toHaveCount(0);
  expect((await now(world, second)).severity).toBeNull();
});

test("a key reports what somebody else has done already, and undoes one's own closing of an incident", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Medlar", 1);
  const [report] = reports as [ReportRecord];
  await signIn(world.omar);
  await page.goto(path);
  await goToFirst(page, report);
  await test.step("a change that somebody else has made already is reported as done", async () => {
    // The page doesn't learn of the change before the action.
    await page.route("**/inbox/rows?*", (route) => route.abort());
    const address = `/api/events/slug/${world.event.slug}/incidents/${report.id}`;
    await world.as(world.ada).patch(address, { assignedResponderId: world.omar.id });
    await page.keyboard.press("a");
    const alert = page.getByRole("alert").filter({ hasText: report.title });
    await expect(alert).toContainText("someone has already done that");
    await page.unroute("**/inbox/rows?*");
  });
  await test.step("one's own closing of an incident is undone by a key", async () => {
    const before = await now(world, report);
    await page.keyboard.press("s");
    await page.getByRole("dialog", { name: "Change status" }).getByRole("radio", { name: "Closed" }).check();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").filter({ hasText: "Status changed." })).toBeVisible();
    await page.keyboard.press("z");
    await expect(page.getByText("Undone.")).toBeVisible();
    expect(await now(world, report)).toEqual({ ...before, updatedAt: expect.any(String) });
    await page.keyboard.press("z");
    await expect(page.getByText("There’s nothing to undo.")).toBeVisible();
  });
});

test("chosen reports are exported as a file, the next page of a list has its other rows, and a view is saved, leads back to the list, and is removed", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.omar);
  await test.step("chosen reports are exported as a file, and the next page has the other rows", async () => {
    const { path, reports } = await createInbox(world, "Pomelo", 21);
    await page.goto(path);
    await box(page, reports[0] as ReportRecord).check();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    expect((await downloading).suggestedFilename()).toBe("heed-reports.csv");
    const rows = page.getByRole("list", { name: "Incidents" }).getByRole("listitem");
    await expect(rows).toHaveCount(20);
    await page.getByRole("link", { name: "Next" }).click();
    await expect(rows).toHaveCount(1);
    await expect(rows.locator(`a[href*="${reports.at(-1)?.id}"]`).first()).toBeVisible();
  });
  await test.step("a view is saved under a name, leads back to the list, and is removed", async () => {
    await createInbox(world, "Sorrel", 1);
    await page.goto("/inbox?search=Sorrel&status=submitted&sort=title&order=asc");
    await page.getByRole("button", { name: "Save view" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Sorrel at the gate");
    await dialog.getByRole("button", { name: "Save view" }).click();
    const views = page.getByRole("navigation", { name: "Views" });
    await expect(views.getByRole("link", { name: "Sorrel at the gate" })).toHaveAttribute(
      "aria-current",
      "page",
    );
    await page.locator('nav a[href="/inbox"]').filter({ visible: true }).first().click();
    await expect(page).toHaveURL(/\/inbox$/);
    await views.getByRole("link", { name: "Sorrel at the gate" }).click();
    await expect(page).toHaveURL(/search=Sorrel/);
    await expect(page).toHaveURL(/sort=title/);
    await expect(page.getByRole("link", { name: "Sorrel report number 1" })).toBeVisible();
    await views.getByRole("button", { name: "Remove the view “Sorrel at the gate”" }).click();
    await expect(views.getByRole("link", { name: "Sorrel at the gate" })).toHaveCount(0);
  });
});

test("a new report is announced in a bar, and the unread count grows", async ({ page, signIn, world }) => {
  const { path } = await createInbox(world, "Tansy", 1);
  const responder = await world.person("Live Responder", { events: [[world.event, "Responder"]] });
  await signIn(responder);
  await openLivePage(page, path);
  await world.report(world.maya, world.event, { title: "Tansy report that comes late" });
  await expect(page.getByText("1 new incident")).toBeVisible();
  await expect(page.getByRole("link", { name: "Tansy report that comes late" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: /^Notifications, [1-9]/ })).toBeVisible({ timeout: 15_000 });
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByRole("link", { name: "Tansy report that comes late" })).toBeVisible();
  await expect(page.getByText("1 new incident")).toHaveCount(0);

  const firstRow = page.getByRole("link", { name: "Tansy report that comes late" });
  await world.report(world.maya, world.event, { title: "Tansy report of danger", severity: "critical" });
  const alert = page.getByRole("alert").filter({ hasText: "Urgent: someone is in danger now" });
  await expect(alert).toContainText("1 new incident");
  const [bar, row] = [await alert.locator("p").boundingBox(), await firstRow.boundingBox()];
  expect(bar?.y).toBeGreaterThan((row?.y ?? Infinity) + (row?.height ?? 0));
});

test("a row of Omar’s list changes in place, with a marker, while Ada works on its incident, and not with news of its creation", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Loquat");
  const [first, second, third] = reports as [ReportRecord, ReportRecord, ReportRecord];
  await signIn(world.omar);
  await openLivePage(page, path);
  const addressOf = ({ id }: ReportRecord) => `/api/events/slug/${world.event.slug}/incidents/${id}`;
  await test.step("news of the creation of a report that the list shows already doesn’t mark it as changed", async () => {
    await world.service.sql(
      "insert into outbox_events (kind, organization_id, event_id, incident_id) values ('incident.created', $1, $2, $3)",
      [world.organization.id, world.event.id, first.id],
    );
    await expect.poll(() => world.service.rows("outbox_events", "incident_id = $1", [first.id])).toBe(0);
    expect((await world.as(world.ada).patch(addressOf(second), { severity: "medium" })).status).toBe(200);
    const marked = page.getByRole("listitem").filter({ hasText: "Changed just now" });
    await expect(marked.filter({ hasText: second.title })).toBeVisible();
    await expect(marked).toHaveCount(1);
  });
  await test.step("a row of Omar’s list changes in place, with a marker, while Ada works on its incident", async () => {
    const rows = page.getByRole("list", { name: "Incidents" }).getByRole("listitem");
    const address = addressOf(third);
    await box(page, third).check();
    const row = rows.nth(2);
    await expect(row).toContainText(third.title);
    const ada = world.as(world.ada);
    const change = { severity: "critical", state: "acknowledged", assignedResponderId: world.ada.id };
    expect((await ada.patch(address, change)).status).toBe(200);
    await expect(row).toContainText("Critical");
    await expect(row).toContainText("Acknowledged");
    await expect(row).toContainText(world.ada.name);
    await expect(row.getByText("Changed just now")).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: `“${third.title}” changed:` })).toContainText(
      `Acknowledged, Critical, ${world.ada.name}`,
    );
    await expect(box(page, third)).toBeChecked();

    const renamed = "Loquat report with another name";
    expect((await ada.patch(`${address}/title`, { title: renamed })).status).toBe(200);
    await expect(row.getByRole("link", { name: renamed })).toBeVisible();
    await ada.patch(`${address}/state`, { state: "closed" });
    await expect(row).toContainText("Closed");
    await expect(page.getByRole("button", { name: "Show", exact: true })).toHaveCount(0);

    await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
    await expect(page.getByRole("alert").filter({ hasText: renamed })).toContainText(
      "it has already had a first response",
    );
  });
});

test("Omar’s own changes, and what he undoes later, aren’t marked as those of others", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Yuzu");
  const [first, second] = reports as [ReportRecord, ReportRecord];
  await signIn(world.omar);
  await openLivePage(page, path);
  await goToFirst(page, first);
  for (const [key, said] of [
    ["a", "Assigned."],
    ["z", "Undone."],
  ] as const) {
    const rowsFetched = page.waitForResponse(/\/inbox\/rows/);
    await page.keyboard.press(key);
    await (await rowsFetched).finished();
    // The rows may come before the response to the action, until which there is nothing to undo.
    await expect(page.getByRole("status").filter({ hasText: said })).toBeVisible();
    // Once the page has taken up its own change, a minute goes by.
    await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const time = Date.now() + 60_000;
      Date.now = () => time;
    });
  }
  const address = `/api/events/slug/${world.event.slug}/incidents/${second.id}`;
  expect((await world.as(world.ada).patch(address, { severity: "critical" })).status).toBe(200);
  const marked = page.getByRole("listitem").filter({ hasText: "Changed just now" });
  await expect(marked).toHaveText([new RegExp(second.title)]);
});

test("choices in several filters apply together, also when one is opened twice", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Borage");
  await signIn(world.omar);
  await page.goto(path);
  await goToFirst(page, reports[0] as ReportRecord);
  await chip(page, "Status").click();
  await page.getByRole("checkbox", { name: /^Submitted/ }).check();
  await chip(page, "Severity").click();
  await expect(page.getByRole("checkbox", { name: /^Submitted/ })).toBeHidden();
  await page.getByRole("checkbox", { name: /^Not set/ }).check();
  await chip(page, "Status").click();
  await expect(page.getByRole("checkbox", { name: /^Not set/ })).toBeHidden();
  await expect(page.getByRole("checkbox", { name: /^Submitted/ })).toBeChecked();
  await expect(page).toHaveURL(new RegExp(`${path.replace("?", "\\?")}$`));
  await apply(page).click();
  await expect(chip(page, "Status: Submitted")).toBeFocused();
  await expect(chip(page, "Severity: Not set")).toBeVisible();
  await expect.poll(() => queryIn(page)).toEqual({ search: "Borage", status: "submitted", severity: "none" });

  await chip(page, "Status: Submitted").click();
  await expect(page.getByRole("checkbox", { name: /^Submitted/ })).toBeChecked();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("checkbox", { name: /^Submitted/ })).toBeHidden();
  await expect(chip(page, "Status: Submitted")).toBeFocused();
  await chip(page, "Status: Submitted").click();
  await page.getByRole("heading", { level: 1 }).click();
  await expect(chip(page, "Status: Submitted")).toHaveAttribute("aria-expanded", "false");
  await page.getByRole("searchbox").fill("Borage report");
  await page.getByRole("searchbox").press("Enter");
  await expect(page).toHaveURL(/search=Borage\+report/);
  expect(queryIn(page)).toMatchObject({ severity: "none" });
});

test("what a filter opens stays inside the window, also at the end of the line", async ({
  page,
  signIn,
  world,
}) => {
  const { path } = await createInbox(world, "Tansy");
  await signIn(world.omar);
  await page.goto(path);
  for (const name of ["Severity", "Assigned to", "Due", "Reporter", "Date", "More"]) {
    await chip(page, name).click();
    await expect(apply(page)).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
    await page.keyboard.press("Escape");
  }
});

test("of many events the first are named beside the list, and the filter has them all", async ({
  page,
  signIn,
  world,
}) => {
  const events = [];
  for (let n = 10; n < 25; n += 1)
    events.push(await world.newEvent(world.organization, `Gathering number ${n}`));
  const person = await world.person("Many Events", { events: events.map((event) => [event, "Responder"]) });
  await signIn(person);
  await page.goto("/inbox");
  const views = page.getByRole("navigation", { name: "Views" });
  await expect(views.getByRole("link", { name: /^Gathering/ })).toHaveCount(12);
  await views.getByRole("link", { name: "All 15 events" }).click();
  await expect(page.getByRole("checkbox", { name: /^Gathering number 10/ })).toBeFocused();
  await expect(page).toHaveURL(/\/inbox$/);
  await page.getByRole("checkbox", { name: /^Gathering number 24/ }).check();
  await apply(page).click();
  await expect(views.getByRole("link", { name: "Gathering number 24" })).toHaveAttribute(
    "aria-current",
    "page",
  );
});

test("events that differ at the end of a long name are distinguishable beside the list and in its rows", async ({
  page,
  signIn,
  world,
}) => {
  const names = ["2025", "2026"].map((year) => `Northlight Summit of the Open Harbours in ${year}`);
  const events = await Promise.all(names.map((name) => world.newEvent(world.organization, name)));
  const person = await world.person("Two Summits", { events: events.map((event) => [event, "Admin"]) });
  for (const event of events) await world.report(person, event, { title: "Left behind at the last harbour" });
  await page.setViewportSize(LAPTOP);
  await signIn(person);
  await page.goto("/inbox");
  // The fonts of the system, with which a page begins, may be wider than its own.
  await page.evaluate(() => document.fonts.ready);
  for (const [at, name] of names.entries()) {
    const year = name.slice(-4);
    const place = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });
    await expect(place).toHaveAttribute("title", name);
    const shown = place.getByText(new RegExp(`^Northlight .*….* ${year}$`));
    expect(
      await shown.evaluate((one) => one.parentElement!.scrollHeight - one.parentElement!.clientHeight),
    ).toBe(0);
    const row = page.locator(`[data-row="${events[at]!.slug}"]`);
    await expect(row).toContainText(new RegExp(`^.*Northlight .*….*${year} · `));
    const about = row.locator("p bdi").first();
    const cutOff = await about.evaluate((one, end) => {
      const range = document.createRange();
      range.setStart(one.firstChild!, 0);
      range.setEnd(one.firstChild!, one.textContent.indexOf(end) + end.length);
      const [own, around] = [one, one.parentElement!].map((part) => part.getBoundingClientRect().right);
      return range.getBoundingClientRect().right - Math.min(own!, around!);
    }, year);
    expect(cutOff).toBeLessThanOrEqual(0);
    await expect(row.getByRole("link")).toHaveAttribute("title", new RegExp(`^${name} · `));
  }
});

/**
 * The filters stand in one line, and what the last of them opens can be pressed.
 * @param ratio how much of the open one is in sight at least
 */
async function expectOneLine(page: Page, ratio = 1): Promise<void> {
  const chips = page.getByRole("search").locator("[data-chip]");
  const tops = await chips.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(tops.length).toBeGreaterThan(4);
  expect(new Set(tops).size).toBe(1);
  const tick = page.getByRole("checkbox", { name: "Has files" });
  await chip(page, "More").focus();
  await expect(chip(page, "More")).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Enter");
  await expect(chip(page, "More")).toHaveAttribute("aria-expanded", "true");
  await expect(chip(page, "More")).toBeInViewport({ ratio });
  await expectNoSidewaysScroll(page);
  await tick.check();
  await apply(page).click();
  await expect(page).toHaveURL(/files=true/);
}

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("filters take one line on a phone, open and close, and keep what was chosen; pages don't keep one open", async ({
    page,
    signIn,
    world,
  }) => {
    const { path, reports } = await createInbox(world, "Comfrey", 21);
    await page.setViewportSize(PHONE);
    await signIn(world.omar);
    await test.step("on a phone the filters take one line as well, and the open one is in sight", async () => {
      await page.goto(path);
      // The page comes anew, scrolled to the chip; fonts that arrive later may make the line longer.
      await expectOneLine(page, 0.75);
    });
    await test.step("a filter opens and closes, what was chosen goes along, and pages don't keep it open", async () => {
      await page.setViewportSize(LAPTOP);
      await page.goto(`${path}&status=submitted`);
      await chip(page, "Severity").click();
      await expect(chip(page, "Severity")).toHaveAttribute("aria-expanded", "true");
      await page.getByRole("checkbox", { name: /^Not set/ }).check();
      await chip(page, "Status: Submitted").click();
      await expect(chip(page, "Severity: Not set")).toHaveAttribute("aria-expanded", "false");
      await expect(page.getByRole("checkbox", { name: /^Submitted/ })).toBeChecked();
      await chip(page, "Status: Submitted").click();
      await expect(page.getByRole("checkbox", { name: /^Submitted/ })).toHaveCount(0);
      await chip(page, "Status: Submitted").click();
      await page.getByRole("link", { name: "Next" }).click();
      await expect(page).toHaveURL(/page=2/);
      const rows = page.getByRole("list", { name: "Incidents" }).getByRole("listitem");
      await expect(rows).toHaveCount(1);
      await expect(rows.locator(`a[href*="${reports.at(-1)?.id}"]`).first()).toBeVisible();
      expect(queryIn(page)).toEqual({
        search: "Comfrey",
        status: "submitted",
        severity: "none",
        page: "2",
      });
    });
  });
});

test("on a phone views and sort order share one line, filters take another, and Escape closes the views", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Marjoram", 1);
  await page.setViewportSize(PHONE);
  await signIn(world.omar);
  await page.goto("/inbox");
  await test.step("on a phone the button for views and the sort order share one line", async () => {
    const [views, order] = [
      page.getByRole("button", { name: "Views", exact: true }),
      page.locator("summary", { hasText: "Most urgent first" }),
    ];
    // The page may move between two measurements while its fonts arrive.
    await expect(async () => {
      const top = (await views.boundingBox())?.y;
      expect(top).toBeDefined();
      expect((await order.boundingBox())?.y).toBe(top);
    }).toPass({ timeout: 15_000 });
    await views.click();
    await expect(page.getByRole("navigation", { name: "Views" })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("navigation", { name: "Views" })).toBeHidden();
  });
  await test.step("on a phone Escape closes the views, which take the focus as they open", async () => {
    const views = page.getByRole("navigation", { name: "Views" });
    await page.getByRole("button", { name: "Views", exact: true }).click();
    await expect(views.getByRole("button", { name: "Close" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(views).toBeHidden();
    await expect(page.getByRole("button", { name: "Views", exact: true })).toBeFocused();
  });
  await test.step("on a phone the filters take one line, which is pushed along", async () => {
    await page.goto(path);
    await goToFirst(page, reports[0] as ReportRecord);
    await expectOneLine(page);
  });
});

test("the inbox is usable with a row pinned and ticked, with the sheet of shortcuts, and with a filter open, and so is a reporter’s list", async ({
  page,
  signIn,
  world,
}) => {
  const { path, reports } = await createInbox(world, "Teasel", 2);
  const pinned = reports[0] as ReportRecord;
  await world.as(world.omar).post("/api/users/me/pins", { incidentId: pinned.id, eventId: world.event.id });
  await page.setViewportSize(PHONE);
  await signIn(world.omar);
  await page.goto(path);
  await box(page, pinned).check();
  for (const [viewport, checkAccess] of [
    [PHONE, expectAccessibleInEachTheme],
    [LAPTOP, expectStructureAccessible],
  ] as const)
    await test.step(`at ${viewport.width} px`, async () => {
      await page.setViewportSize(viewport);
      await expect(box(page, pinned)).toBeChecked();
      await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
      await checkAccess(page);
      await expectNoSidewaysScroll(page);

      await page.getByRole("heading", { level: 1 }).click();
      await page.keyboard.press("?");
      await expect(page.getByRole("button", { name: "Turn off single-key shortcuts" })).toBeVisible();
      // At the size of a laptop, the journey with j and k looks at the sheet.
      if (viewport === PHONE) await checkAccess(page);
      await expectNoSidewaysScroll(page);
      await page.keyboard.press("Escape");

      await chip(page, "Severity").click();
      await expect(page.getByRole("checkbox", { name: /^Critical/ })).toBeVisible();
      // On a phone the filter lies over the rows, and what it covers in part is no target meanwhile.
      if (viewport === LAPTOP) await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.keyboard.press("Escape");
    });
  await test.step("a reporter’s list is accessible and fits the screen", async () => {
    await signIn(world.maya);
    await page.goto("/inbox");
    await expectUsableAtEachSize(page);
  });
});
