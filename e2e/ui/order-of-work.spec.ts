import type { Page } from "@playwright/test";
import type { ReportRecord, TestWorld } from "#e2e/support/world.ts";
import { expect, LAPTOP, PHONE, test } from "./support/test.ts";
import { openLiveReport } from "./support/opened.ts";

/** How a responder works on one incident: what was reported, the conversation, and one press for each property. */

const pageOf = ({ event }: TestWorld, { id }: ReportRecord) => `/e/${event.slug}/i/${id}`;
const now = async (world: TestWorld, { id, eventId }: ReportRecord) =>
  (await world.as(world.ada).get(`/api/events/${eventId}/incidents/${id}`)).body.incident;
const header = (page: Page) => page.getByRole("main").locator("header");
const severity = (page: Page, name: string) =>
  page.getByRole("form", { name: "Severity" }).getByRole("button", { name, exact: true });
const openPalette = async (page: Page) => {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Name, title or ID" })).toBeFocused();
};

test("Omar takes an urgent report on his phone, without scrolling", async ({ page, signIn, world }) => {
  const report = await world.report(world.maya, world.event, {
    title: "A rather long title that needs three lines on a narrow phone 123456",
    severity: "critical",
    description: "It went on and on. ".repeat(80),
  });
  await page.setViewportSize(PHONE);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  const take = page.getByRole("button", { name: "Assign to me" });
  const acknowledge = page.getByRole("button", { name: "Acknowledge", exact: true });
  await expect(take).toBeInViewport({ ratio: 1 });
  await expect(acknowledge).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await take.click();
  await expect(page.getByText(`Assigned to ${world.omar.name}.`)).toBeVisible();
  await acknowledge.click();
  await expect(page.getByText("Status changed to Acknowledged.")).toBeVisible();
  expect(await now(world, report)).toMatchObject({
    state: "acknowledged",
    assignedResponderId: world.omar.id,
  });
});

test("Omar reads what was reported first, then what was said, and sets status, severity and assignee with one press each", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  const top = async (name: string) =>
    (await page.getByRole("heading", { level: 2, name, exact: true }).boundingBox())?.y ?? 0;
  for (const viewport of [PHONE, LAPTOP]) {
    await page.setViewportSize(viewport);
    const tops = await Promise.all(["Report", "Details", "Files", "Timeline"].map(top));
    expect(tops, `${viewport.width} px`).toEqual(tops.toSorted((a, b) => a - b));
    const properties = await page
      .getByRole("region", { name: "Status, severity and assignee" })
      .boundingBox();
    // Beside the report; on a phone behind what was said, since the bar has the next step.
    const [, details = 0, , timeline = 0] = tops;
    if (viewport === LAPTOP) expect(properties?.y).toBeLessThan(details);
    else expect(properties?.y).toBeGreaterThan(timeline);
  }

  await severity(page, "High").click();
  await expect(severity(page, "High")).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await expect(page.getByRole("button", { name: "Move back to Submitted", exact: true })).toBeVisible();
  await page.locator("summary", { hasText: "Assign to…" }).click();
  await page.getByRole("form", { name: "Assigned to" }).getByRole("button", { name: world.ada.name }).click();
  await expect(page.getByRole("main")).toContainText(`Assigned to ${world.ada.name}`);
  expect(await now(world, report)).toMatchObject({
    severity: "high",
    state: "acknowledged",
    assignedResponderId: world.ada.id,
  });
  await page.getByRole("button", { name: "Move back to Submitted", exact: true }).click();
  await expect(page.getByRole("button", { name: "Acknowledge", exact: true })).toBeVisible();
});

test("Omar works with the keys that he knows from the list", async ({ page, signIn, world }) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  await page.keyboard.press("a");
  await expect(page.getByText(`Assigned to ${world.omar.name}.`)).toBeVisible();
  await page.keyboard.press("z");
  await expect(page.getByText("Undone.")).toBeVisible();
  expect((await now(world, report)).assignedResponderId).toBeNull();
  await page.keyboard.press("v");
  await expect(severity(page, "Critical")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Severity: High.")).toBeVisible();
  await page.keyboard.press("Shift+A");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/^Assigned to .+\.$/)).toBeVisible();
  await page.keyboard.press(".");
  await expect(page.getByRole("button", { name: "Edit title…" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("u");
  await expect(page).toHaveURL(/\/inbox/);
  // The list is opened beside the request that marks it.
  const marks = `/api/users/me/incidents/marks?ids=${report.id}`;
  await expect.poll(async () => (await world.as(world.omar).get(marks)).body.marks[0].unread).toBe(true);
});

test("Omar acts from the quick jump, on an incident’s page and on a row of the list", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event, { title: "Gladiolus thrown at a speaker" });
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  await openPalette(page);
  await page.keyboard.type("acknow");
  await expect(page.getByRole("option").first()).toContainText("Acknowledge");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await now(world, report)).state).toBe("acknowledged");
  await openPalette(page);
  await page.keyboard.type("severity crit");
  await expect(page.getByRole("option").first()).toContainText("Critical");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await now(world, report)).severity).toBe("critical");
  await openPalette(page);
  await page.keyboard.type("resolve");
  await expect(page.getByRole("option").first()).toContainText("Resolve");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Resolve" }).getByLabel("Note")).toBeFocused();

  await page.goto(`/e/${world.event.slug}/incidents?search=Gladiolus`);
  await page.keyboard.press("j");
  await expect(page.getByRole("link", { name: report.title })).toBeFocused();
  await openPalette(page);
  await page.keyboard.type("assign to me");
  await expect(page.getByRole("option").first()).toContainText(report.title);
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await now(world, report)).assignedResponderId).toBe(world.omar.id);
});

test("Ada changes an incident that Omar has open: it follows in place, what she writes waits, and his words keep their version", async ({
  page,
  signIn,
  world,
}) => {
  const report = await openLiveReport({ page, signIn, world });
  await page.getByRole("button", { name: "Close…", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Close" });
  await dialog.getByLabel("Note").fill("Nothing to be done");
  await dialog.getByRole("radio", { name: "Don’t send a message" }).check();
  await page.keyboard.press("Escape");

  const ada = world.as(world.ada);
  const address = `/api/events/slug/${world.event.slug}/incidents/${report.id}`;
  const change = { severity: "critical", state: "acknowledged", assignedResponderId: world.ada.id };
  expect((await ada.patch(address, change)).status).toBe(200);
  await expect(header(page)).toContainText("Critical");
  await expect(header(page)).toContainText("Acknowledged");
  await expect(page.getByRole("status").filter({ hasText: "Changed just now" })).toContainText(
    `Acknowledged, Critical, ${world.ada.name}`,
  );
  await expect(severity(page, "Critical")).toHaveAttribute("aria-pressed", "true");
  await ada.patch(`${address}/title`, { title: "A title that Ada has found" });
  await expect(page.getByRole("heading", { level: 1, name: "A title that Ada has found" })).toBeVisible();
  await ada.post(`${address}/comments`, { body: "Do you have him in sight?" });
  await expect(page.getByText(/\d new entr/)).toBeVisible();
  await expect(page.getByText("Do you have him in sight?")).toBeHidden();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByText("Do you have him in sight?")).toBeVisible();

  await page.getByRole("button", { name: "Close…", exact: true }).click();
  await expect(dialog.getByLabel("Note")).toHaveValue("Nothing to be done");
  await dialog.getByRole("button", { name: "Close incident" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Current version" })).toContainText("Acknowledged");
  expect((await now(world, report)).state).toBe("acknowledged");
});

test("a choice that Omar made before Ada changed the incident keeps its version, too", async ({
  page,
  signIn,
  world,
}) => {
  const report = await openLiveReport({ page, signIn, world });
  await page.getByRole("button", { name: "Start investigating…", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Start investigating" });
  await dialog.getByLabel("Who will handle it?").selectOption(world.omar.name);
  const address = `/api/events/slug/${world.event.slug}/incidents/${report.id}`;
  expect((await world.as(world.ada).patch(address, { severity: "critical" })).status).toBe(200);
  await expect(header(page)).toContainText("Critical");
  await dialog.getByLabel("Note").fill("I saw it, too");
  await dialog.getByRole("button", { name: "Start investigating" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Current version" })).toBeVisible();
  expect((await now(world, report)).state).toBe("submitted");
});

test("a note keeps the version it was begun with when a refresh brings a later change than the one it was requested for", async ({
  page,
  signIn,
  world,
}) => {
  const report = await openLiveReport({ page, signIn, world });
  await page.getByRole("button", { name: "Close…", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Close" });
  await dialog.getByLabel("Note").fill("Nothing to be done");
  await dialog.getByRole("radio", { name: "Don’t send a message" }).check();

  // Only the first change is looked up; the refresh that follows waits until the second has been made.
  let lookups = 0;
  await page.route("**/inbox/rows?*", (route) => {
    lookups += 1;
    return lookups === 1 ? route.continue() : route.abort();
  });
  const { promise: secondChange, resolve: makeSecondChange } = Promise.withResolvers<void>();
  await page.route(`**${pageOf(world, report)}*`, async (route) => {
    if (route.request().headers().rsc) await secondChange;
    await route.continue();
  });
  const refresh = page.waitForRequest((request) => {
    const { rsc, "next-router-prefetch": prefetch } = request.headers();
    return request.url().includes(pageOf(world, report)) && Boolean(rsc) && !prefetch;
  });
  const address = `/api/events/slug/${world.event.slug}/incidents/${report.id}`;
  expect((await world.as(world.ada).patch(address, { severity: "critical" })).status).toBe(200);
  await refresh;
  const title = { title: "A title that Ada has found" };
  expect((await world.as(world.ada).patch(`${address}/title`, title)).status).toBe(200);
  makeSecondChange();
  await expect(header(page)).toContainText("Critical");
  await expect(page.getByRole("heading", { level: 1, includeHidden: true })).toContainText(title.title);

  await dialog.getByRole("button", { name: "Close incident" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Current version" })).toBeVisible();
  expect((await now(world, report)).state).toBe("submitted");
});
