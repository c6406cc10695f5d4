import type { Locator, Page } from "@playwright/test";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import type { TestPerson, ReportRecord, TestWorld } from "#e2e/support/world.ts";
import {
  dispatchVisibilityChange,
  expect,
  expectAccessible,
  expectAccessibleInEachTheme,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  LAPTOP,
  PHONE,
  pressTabUntilFocused,
  test,
} from "./support/test.ts";
import { openLiveReport } from "./support/opened.ts";

/** The page of one report: moves, versions, evidence, and writing. */

const pageOf = ({ event }: TestWorld, { id }: ReportRecord) => `/e/${event.slug}/i/${id}`;
const apiOf = ({ event }: TestWorld, { id }: ReportRecord) => `/api/events/${event.id}/incidents/${id}`;
const now = async (world: TestWorld, report: ReportRecord) =>
  (await world.as(world.ada).get(apiOf(world, report))).body.incident;
const change = (world: TestWorld, person: TestPerson, { id }: ReportRecord, body: Record<string, unknown>) =>
  world.as(person).patch(`/api/events/slug/${world.event.slug}/incidents/${id}`, body);
const toast = (page: Page) =>
  page.getByRole("status").filter({ has: page.getByRole("button", { name: "Close" }) });

type Opening = { page: Page; signIn: (person: TestPerson) => Promise<void>; world: TestWorld };

/** A new report on its page, as somebody of the team sees it. */
async function opened({ page, signIn, world }: Opening): Promise<ReportRecord> {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  return report;
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** What others change doesn't reach the page by itself. */
const keepStale = (page: Page) => page.route("**/inbox/rows?*", (route) => route.abort());

const setSeverity = (page: Page, name: string) =>
  page.getByRole("form", { name: "Severity" }).getByRole("button", { name, exact: true }).click();

test("an incident's page fills dialogs when they open, suggests mentions in notes only, can be printed and read offline, and keeps unsent text", async ({
  page,
  signIn,
  world,
}) => {
  await opened({ page, signIn, world });
  await test.step("a dialog is empty until it is opened, and keeps its text when it is closed", async () => {
    const dialog = page.locator("dialog#move-resolved");
    await expect(dialog).toBeAttached();
    await expect(dialog.locator("*")).toHaveCount(0);
    await press(page, "Resolve…");
    const note = page.getByRole("dialog", { name: "Resolve" }).getByLabel("Note");
    await expect(note).toBeFocused();
    await note.fill("Half of a thought");
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await expect(dialog).toBeHidden();
    await press(page, "Resolve…");
    await expect(note).toBeFocused();
    await expect(note).toHaveValue("Half of a thought");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });
  await test.step("no mentions are suggested in messages to the reporter", async () => {
    await page.getByRole("form", { name: "Team note" }).getByLabel("Note").fill("Ask @");
    await page.keyboard.type("a");
    await expect(page.getByRole("listbox")).toBeVisible();
    await page.getByRole("form", { name: "Message to reporter" }).getByLabel("Message").fill("Ask @");
    await page.keyboard.type("a");
    await expect(page.getByRole("listbox")).toHaveCount(0);
  });
  await test.step("each printed sheet says that it is confidential and who printed it, the screen doesn't", async () => {
    const mark = page.getByText(`Confidential · ${world.omar.name}`);
    await expect(mark).toBeHidden();
    await page.emulateMedia({ media: "print" });
    await expect(mark).toBeVisible();
    await expect(page.getByText(`Printed by ${world.omar.name}`)).toBeVisible();
    expect(await mark.locator("..").evaluate((element) => getComputedStyle(element).position)).toBe("fixed");
    await page.emulateMedia({ media: "screen" });
  });
  await test.step("the offline notice doesn't cover the title and the actions of a scrolled incident", async () => {
    await page.setViewportSize(LAPTOP);
    const header = page.locator("main header");
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(header).toBeInViewport({ ratio: 1 });
    await page.context().setOffline(true);
    const notice = page.getByRole("status").filter({ hasText: "You’re offline" });
    await expect(notice).toBeInViewport();
    const gap = async () => {
      const [above, below] = [await notice.boundingBox(), await header.boundingBox()];
      return Math.round((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0));
    };
    await expect.poll(gap).toBe(0);
    await page.context().setOffline(false);
    await expect(notice).toHaveCount(0);
    await expect.poll(async () => Math.round((await header.boundingBox())?.y ?? -1)).toBe(0);
  });
  await test.step("unsent text stays through filters, and leaving asks for confirmation", async () => {
    const field = page.getByRole("form", { name: "Team note" }).getByLabel("Note");
    await page.getByRole("form", { name: "Message to reporter" }).getByLabel("Message").fill("");
    await field.fill("Half a thought");
    await page.getByRole("link", { name: "Changes", exact: true }).click();
    await expect(page).toHaveURL(/kind=changes/);
    await expect(field).toHaveValue("Half a thought");
    const questions: string[] = [];
    page.on("dialog", (dialog) => {
      questions.push(dialog.message());
      void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
    });
    const away = page.getByRole("link", { name: "Incidents" }).last();
    await away.click();
    await expect.poll(() => questions.length).toBe(1);
    expect(questions[0]).toContain("haven’t sent what you wrote");
    await expect(field).toHaveValue("Half a thought");
    await away.click();
    await expect(page).toHaveURL(/\/inbox/);
  });
});

test("a change that is made before the live connection is up is shown once it is; an open dialog keeps its text and focus when a status change updates the page", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.omar);
  await test.step("a change that is made before the live connection is up is shown once it is, without other news", async () => {
    const { promise: announced, resolve: connect } = Promise.withResolvers<void>();
    await page.route("**/api/users/me/stream", async (route) => {
      await announced;
      await route.continue();
    });
    await page.goto(pageOf(world, report));
    await change(world, world.ada, report, { assignedResponderId: world.ada.id });
    await expect.poll(() => world.service.rows("outbox_events"), "nobody announces it later").toBe(0);
    connect();
    await expect(page.locator("#properties bdi").first()).toHaveText(world.ada.name);
    await expect(page.getByText(`Changed just now: ${world.ada.name}`)).toBeAttached();
  });
  const { promise: written, resolve: answer } = Promise.withResolvers<void>();
  let changeCount = 0;
  await page.route(`**${pageOf(world, report)}`, async (route) => {
    if (route.request().method() !== "POST" || changeCount > 0) return route.continue();
    changeCount += 1;
    await written;
    const response = await route.fetch();
    // The news of the change arrives before the response to it.
    await page.waitForTimeout(1500);
    await route.fulfill({ response });
  });
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await press(page, "Start investigating…");
  const dialog = page.getByRole("dialog", { name: "Start investigating" });
  await dialog.getByLabel("Note").fill("Words that nobody wants to");
  await dialog.getByLabel("Note").press("End");
  await expect(page.getByRole("status").filter({ hasText: "Acknowledged" })).toHaveCount(0);
  answer();
  await expect(page.getByRole("status").filter({ hasText: "Acknowledged" }).first()).toBeAttached();
  await expect(page.locator("header button", { hasText: "Start investigating…" })).toBeAttached();
  await page.keyboard.type(" write twice");
  await expect(dialog.getByLabel("Note")).toHaveValue("Words that nobody wants to write twice");
  await dialog.getByLabel("Who will handle it?").selectOption({ label: world.omar.name });
  const { updatedAt } = await now(world, report);
  await expect(dialog.locator("[name=ifMatch]"), "the updated page has arrived").toHaveValue(updatedAt);
  await dialog.getByRole("button", { name: "Start investigating" }).click();
  await expect(dialog).toBeHidden();
  expect(await now(world, report)).toMatchObject({
    state: "investigating",
    assignedResponderId: world.omar.id,
  });
});

test("skipped statuses are shown as skipped; the team's record is edited from what it is, and only the outcome is for the reporter", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  const resolutionText = "Rebecca has seen it, and is afraid of him.";
  const resolved = { state: "resolved", notes: resolutionText };
  const at = `${apiOf(world, report)}/state`;
  expect((await world.as(world.omar).patch(at, resolved)).status).toBe(200);
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  await expectSkippedSteps(page);
  const cardOf = (name: string) =>
    page.locator("section", { has: page.getByRole("heading", { name, exact: true }) }).last();
  const record = cardOf("Team’s record");
  await expect(record).toContainText(resolutionText);
  await expect(record).toContainText("For the team only");
  await record.getByRole("button", { name: "Edit…" }).click();
  const recordField = page.getByRole("dialog", { name: "Edit the team’s record" }).getByRole("textbox");
  await expect(recordField).toHaveValue(resolutionText);
  await recordField.fill("LANTERN: he was banned.");
  await page.getByRole("button", { name: "Save record" }).click();
  await expect(record).toContainText("LANTERN: he was banned.");
  const outcome = cardOf("Outcome for the reporter");
  await expect(outcome).toContainText("The reporter hasn’t been told an outcome yet.");
  const outcomeField = page.getByRole("dialog").getByLabel("Message to the reporter");
  for (const [button, before, text] of [
    ["Write…", /^Thank you for telling us/, "We spoke with him."],
    ["Edit…", "We spoke with him.", "We spoke with him, and he left."],
  ] as const) {
    await outcome.getByRole("button", { name: button }).click();
    await expect(outcomeField).toHaveValue(before);
    await outcomeField.fill(text);
    await page.getByRole("button", { name: "Send outcome" }).click();
    await expect(outcome).toContainText(text);
  }
  await signIn(world.maya);
  await page.goto(pageOf(world, report));
  await expectSkippedSteps(page);
  await expect(cardOf("Outcome")).toContainText("We spoke with him, and he left.");
  expect(await page.content()).not.toMatch(/LANTERN|Rebecca/);
});

const expectSkippedSteps = (page: Page) =>
  expect(page.getByRole("list", { name: "Progress" }).getByRole("listitem")).toHaveText([
    "Submitted, done",
    "Acknowledged, skipped",
    "Investigating, skipped",
    /^Resolved/,
    "Closed, not reached",
  ]);

test("a note is written by keyboard; one's own changes can be undone in one press, if they are undoable, and the focus moves to the title when the pressed button disappears", async ({
  page,
  signIn,
  world,
}) => {
  const report = await opened({ page, signIn, world });
  await test.step("“Write” leads to the fields, which stand between the report and its timeline; missing details are one line", async () => {
    const topOf = async (part: string) => (await page.locator(part).boundingBox())?.y ?? Number.NaN;
    expect(await topOf("#talk")).toBeLessThan(await topOf("#timeline"));
    await page.getByRole("link", { name: "Write", exact: true }).click();
    await expect(page.locator("#talk")).toBeInViewport();
    await expect(page.getByText(/^Not given: .*Where/)).toHaveCount(1);
  });
  await test.step("a note is written by keyboard: a mention from the list, and Ctrl+Enter; it is shown as typed, with a link", async () => {
    const note = page.getByRole("form", { name: "Team note" });
    const field = note.getByLabel("Note");
    await field.focus();
    await page.keyboard.type(`Please ask @${world.ada.name.slice(0, 2).toLowerCase()}`);
    await expect(note.getByRole("option", { name: world.ada.name })).toHaveAttribute("aria-selected", "true");
    await expect(field).toHaveAttribute("aria-activedescendant", /./);
    await page.keyboard.press("Enter");
    await expect(field).toHaveValue(`Please ask @${world.ada.name} `);
    await page.keyboard.type(`to **call**, see ${world.service.url}/inbox`);
    await expectAccessible(page);
    await field.press("Control+Enter");
    await expect(field).toHaveValue("");
    const { body } = await world.as(world.omar).get(`${apiOf(world, report)}/comments`);
    expect(body.comments).toMatchObject([{ visibility: "internal", mentions: [{ id: world.ada.id }] }]);
    await expect(page.getByText("to **call**, see")).toBeVisible();
    await expect(page.getByRole("link", { name: `${world.service.url}/inbox` })).toBeVisible();
  });
  await test.step("the focus moves to the report's title when the pressed button disappears", async () => {
    const head = page.getByRole("heading", { level: 1 });
    await page.getByRole("button", { name: "Acknowledge", exact: true }).press("Enter");
    await expect.poll(async () => (await now(world, report)).state).toBe("acknowledged");
    await expect(head).toBeFocused();
    await toast(page).getByRole("button", { name: "Undo" }).press("Enter");
    await expect.poll(async () => (await now(world, report)).state).toBe("submitted");
    await expect(head).toBeFocused();
    await page.getByRole("button", { name: "Assign to me" }).press("Enter");
    await expect(toast(page)).toContainText("Assigned");
    await expect(head).toBeFocused();
    await toast(page).getByRole("button", { name: "Undo" }).click();
    await expect(toast(page)).toContainText("Undone.");
  });
  await test.step("the last change can be undone in one press, unless the reporter was told of it", async () => {
    await setSeverity(page, "High");
    await expect(toast(page)).toContainText("Severity: High.");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(toast(page)).toContainText("Undone.");
    expect(await now(world, report)).toMatchObject({ severity: null });

    await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
    await expect(toast(page)).toContainText("Status changed to Acknowledged.");
    await expect(page.getByRole("button", { name: "Acknowledge", exact: true })).toHaveCount(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(toast(page)).toContainText("Undone.");
    await expect(page.getByRole("button", { name: "Acknowledge", exact: true })).toBeVisible();
    expect(await now(world, report)).toMatchObject({ state: "submitted" });

    await press(page, "Close…");
    const dialog = page.getByRole("dialog", { name: "Close" });
    // The text to start from has a gap.
    await dialog.getByRole("button", { name: "Close incident" }).click();
    await expect(dialog.getByText("Message to the reporter still has a gap").first()).toBeVisible();
    const before = await now(world, report);
    await dialog.getByRole("radio", { name: "Don’t send a message" }).check();
    await dialog.getByRole("button", { name: "Close incident" }).click();
    await expect(toast(page)).toContainText("Status changed to Closed.");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(toast(page)).toContainText("Undone.");
    expect(await now(world, report)).toEqual({ ...before, updatedAt: expect.any(String) });

    await press(page, "Close…");
    await dialog.getByLabel("Message to the reporter").fill("We spoke with him.");
    await dialog.getByRole("button", { name: "Close incident" }).click();
    await expect(toast(page)).toContainText("Status changed to Closed");
    await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
  });
});

test("a person chosen in an open dialog stays chosen when somebody else assigns the incident; a conflict shows the current version, also after another change; what somebody else has done already is reported with their name, and without a choice", async ({
  page,
  signIn,
  world,
}) => {
  const report = await openLiveReport({ page, signIn, world });
  await test.step("a person chosen in an open dialog stays chosen when somebody else assigns the incident", async () => {
    await press(page, "Start investigating…");
    const dialog = page.getByRole("dialog", { name: "Start investigating" });
    const person = dialog.getByLabel("Who will handle it?");
    await person.selectOption({ label: world.omar.name });
    await person.focus();
    await change(world, world.ada, report, { assignedResponderId: world.ada.id });
    await expect(page.locator("#properties bdi").first()).toHaveText(world.ada.name);
    await expect(person).toHaveValue(world.omar.id);
    await expect(person).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });
  await keepStale(page);
  const choice = page.getByRole("alert").filter({ hasText: "Current version" });
  await change(world, world.ada, report, { severity: "low" });
  await setSeverity(page, "High");
  await expect(choice).toContainText("Current versionLow");
  await change(world, world.ada, report, { severity: "critical" });
  await expect(choice).toContainText("Current versionCritical");
  await choice.getByRole("button", { name: "Use my version" }).click();
  await expect(choice).toHaveCount(0);
  expect(await now(world, report)).toMatchObject({ severity: "high" });

  const already = `${world.ada.name} has already done this.`;
  await change(world, world.ada, report, { state: "acknowledged" });
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await expect(toast(page)).toContainText(already);
  await expect(choice).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Acknowledge", exact: true })).toHaveCount(0);
  await toast(page).getByRole("button", { name: "Close" }).click();

  await change(world, world.ada, report, { severity: "low" });
  await setSeverity(page, "Low");
  await expect(toast(page)).toContainText(already);
  await expect(choice).toHaveCount(0);

  await change(world, world.ada, report, { state: "closed" });
  await press(page, "Close…");
  const dialog = page.getByRole("dialog", { name: "Close" });
  await dialog.getByLabel("Note").fill("A note that is not there yet");
  await dialog.getByRole("radio", { name: "Don’t send a message" }).check();
  await dialog.getByRole("button", { name: "Close incident" }).click();
  await expect(choice).toContainText("A note that is not there yet");
});

test("after a conflict of titles or severities both versions are shown, and one is chosen; other changes are no conflict; a file is shown in the page", async ({
  page,
  signIn,
  world,
}) => {
  const report = await reportWithFiles(world);
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/download")) fetched.push(request.url());
  });
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  // A page that follows changes while somebody writes has tests of its own (order-of-work.spec.ts).
  await keepStale(page);
  const choice = page.getByRole("alert").filter({ hasText: "Current version" });
  await test.step("after a conflict both versions are shown, and one is chosen", async () => {
    await openTitle(page, true);
    const title = page.getByLabel("Short title", { exact: true });
    await change(world, world.ada, report, { severity: "low" });
    await retitle(world, report, "The title that Ada gave it");
    await title.fill("The title that Omar gave it");
    await page.getByRole("button", { name: "Save title" }).click();
    await expect(choice).toContainText("The title that Ada gave it");
    await expect(choice).toContainText("The title that Omar gave it");
    await expect(title).toHaveValue("The title that Omar gave it");
    expect(await now(world, report)).toMatchObject({
      title: "The title that Ada gave it",
      severity: "low",
    });
    await choice.getByRole("button", { name: "Use my version" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "The title that Omar gave it" })).toBeVisible();

    await openTitle(page, true);
    await retitle(world, report, "Once more a title of Ada's");
    await title.fill("A title that is given up");
    await page.getByRole("button", { name: "Save title" }).click();
    await choice.getByText("Keep current version").click();
    await expect(choice).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1, name: "Once more a title of Ada's" })).toBeVisible();
  });
  await test.step("a severity is saved despite other changes of the report, and conflicts with another severity", async () => {
    await change(world, world.ada, report, { state: "acknowledged" });
    await retitle(world, report, "The title that Ada gave it");
    await setSeverity(page, "High");
    await expect(page.getByRole("heading", { level: 1, name: "The title that Ada gave it" })).toBeVisible();
    await expect(choice).toHaveCount(0);
    expect(await now(world, report)).toMatchObject({ severity: "high", state: "acknowledged" });

    await change(world, world.ada, report, { severity: "critical" });
    await setSeverity(page, "Low");
    await expect(choice).toContainText("Critical");
    await expect(choice).toContainText("Low");
    expect(await now(world, report)).toMatchObject({ severity: "critical" });
    await choice.getByRole("button", { name: "Use my version" }).click();
    await expect(choice).toHaveCount(0);
    await expect.poll(async () => (await now(world, report)).severity).toBe("low");
  });
  await test.step("a file is fetched on demand, and blurred until it is pressed", async () => {
    await expect(page.getByRole("link", { name: "View river.jpg" })).toBeVisible();
    expect(fetched).toEqual([]);
    await page.getByRole("link", { name: "View river.jpg" }).click();
    const picture = page.locator("label", { hasText: "Show picture" }).getByRole("img");
    await expect(picture).toBeVisible();
    expect(await blurOf(picture)).toContain("blur");
    await page.getByLabel("Show picture").check();
    await expect.poll(() => blurOf(picture)).toBe("none");
    // A picture takes its place, and can be unblurred, before its file has arrived.
    await expect
      .poll(async () => {
        const { body } = await world.as(world.ada).get(`${apiOf(world, report)}/access?kind=file`);
        return body.access;
      })
      .toMatchObject([{ actor: { id: world.omar.id } }]);
    expect(fetched.length).toBe(1);

    await test.step("the viewer goes through the files by button and by key", async () => {
      const viewer = page.getByRole("dialog");
      await page.keyboard.press("Escape");
      await expect(viewer).toBeHidden();
      await page.getByRole("link", { name: "View river.jpg" }).press("Enter");
      await expect(viewer).toContainText("1 of 2");
      await expectAccessible(page);
      await viewer.getByRole("button", { name: "Next" }).click();
      await expect(viewer).toContainText("words.txt");
      await expect(viewer).toContainText("can’t show this type of file here");
      await page.keyboard.press("ArrowLeft");
      await expect(viewer).toContainText("river.jpg");
      await expect(viewer.getByLabel("Show picture")).not.toBeChecked();
      await page.keyboard.press("Escape");
      await expect(viewer).toBeHidden();
    });
  });
});

test("new entries of others wait behind a bar, one's own are shown at once", async ({
  page,
  signIn,
  world,
}) => {
  const report = await openLiveReport({ page, signIn, world });
  await page.getByRole("form", { name: "Team note" }).getByLabel("Note").fill("My own words");
  await page.getByRole("button", { name: "Save note" }).click();
  await expect(page.getByRole("article")).toHaveCount(1);
  await world.as(world.maya).post(`${apiOf(world, report)}/comments`, { body: "Something new" });
  await expect(page.getByText("1 new entry")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("article")).toHaveCount(1);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await expect(page.getByText("1 new entry")).toHaveCount(0);

  await world
    .as(world.omar)
    .post(`${apiOf(world, report)}/comments`, { visibility: "public", body: "We saw it." });
  await world.move(report, "investigating");
  await world.move(report, "resolved");
  await expect(page.getByText("Resolved").first()).toBeVisible();
  await expect(page.getByText("Needs a reply")).toHaveCount(0);
  await world.as(world.maya).post(`${apiOf(world, report)}/comments`, { body: "He is back" });
  await expect(page.getByText("Needs a reply").first()).toBeVisible();
  await expect(page.locator("main").getByRole("button", { name: "Reopen…" }).first()).toBeVisible();

  // A report that is hidden from its reader leaves the screen, with what they were writing.
  const excluded = await world
    .as(world.maya)
    .put(`${apiOf(world, report)}/readers/${world.omar.id}`, { access: "none" });
  expect(excluded.status, excluded.text).toBe(200);
  // Presence is announced at once when the tab comes into view. Five seconds after its refusal the page is reloaded.
  await dispatchVisibilityChange(page);
  await expect(page.getByText("My own words")).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});

test("a report's status is changed with the keyboard alone", async ({ page, signIn, world }) => {
  const report = await world.report(world.maya, world.event);
  await world.move(report, "acknowledged");
  await signIn(world.omar);
  await page.goto(pageOf(world, report));
  const resolve = page.getByRole("button", { name: "Resolve…" });
  await page.keyboard.press("s");
  await expect(resolve).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("button", { name: "Close…" })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Resolve" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(resolve).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog.getByLabel("Note")).toBeFocused();
  await page.keyboard.type("They talked it over.");
  await pressTabUntilFocused(page, dialog.getByRole("radio", { name: "Send this message" }));
  await page.keyboard.press("ArrowDown");
  await pressTabUntilFocused(page, dialog.getByRole("button", { name: "Resolve" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  expect(await now(world, report)).toMatchObject({ state: "resolved", resolution: "They talked it over." });
});

test("the reporter sees the status; their report is collapsed, and no team content is there", async ({
  page,
  signIn,
  world,
}) => {
  const report = await world.report(world.maya, world.event);
  await world.move(report, "investigating", { notes: "LANTERN among ourselves" });
  await change(world, world.ada, report, { severity: "critical" });
  await signIn(world.maya);
  await page.goto(pageOf(world, report));
  await expect(page.getByText("Someone is looking into your report.")).toBeVisible();
  await expect(page.getByText(report.description)).toBeHidden();
  await page.getByText("Show what you wrote and the details").click();
  await expect(page.getByText(report.description)).toBeVisible();
  await expect(page.getByRole("link", { name: "Leave this page quickly" })).toBeVisible();
  for (const hidden of ["LANTERN", "Team note", "Critical"])
    expect(await page.content()).not.toContain(hidden);
});

test("text typed before hydration stays, and is saved", async ({ page, signIn, world }) => {
  const report = await world.report(world.maya, world.event);
  await signIn(world.ada);
  // A page of its own: the test's waits for script by itself.
  const slow = await page.context().newPage();
  const script = Promise.withResolvers<void>();
  await slow.route("**/_next/static/**", async (route) => {
    if (route.request().resourceType() === "script") await script.promise;
    await route.continue();
  });
  await slow.goto(pageOf(world, report), { waitUntil: "commit" });
  await openTitle(slow, false);
  const title = slow.getByLabel("Short title", { exact: true });
  await title.fill("Written on a slow line");
  script.resolve();
  await slow.locator("next-route-announcer").waitFor({ state: "attached" });
  await expect(slow.locator('button[aria-haspopup="dialog"]').first()).toBeAttached();
  await expect(title).toBeVisible();
  await expect(title).toHaveValue("Written on a slow line");
  await slow.getByRole("button", { name: "Save title" }).click();
  await expect(slow.getByRole("heading", { level: 1, name: "Written on a slow line" })).toBeVisible();
});

test("on a phone and a laptop, links in the details are targets for a finger; the menu, a dialog, and both versions in it are accessible", async ({
  page,
  signIn,
  world,
}) => {
  const report = await reportWithFiles(world);
  await signIn(world.ada);
  await page.setViewportSize(LAPTOP);
  await page.goto(pageOf(world, report));
  await expectTargetsInDetails(page, world.event.name);
  await page.setViewportSize(PHONE);
  await expectTargetsInDetails(page, world.event.name);

  await page.locator("summary", { hasText: /^More/ }).click();
  await expect(page.getByRole("button", { name: "Edit title…" })).toBeVisible();
  await expectAccessibleAtEachSize(page);
  await page.keyboard.press("Escape");

  await press(page, "Resolve…");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Note").fill("Both of us write");
  await dialog.getByRole("radio", { name: "Don’t send a message" }).check();
  await expectAccessibleAtEachSize(page);

  await change(world, world.omar, report, { severity: "high" });
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Current version" })).toContainText("High");
  await expectAccessibleAtEachSize(page);
});

/** On a phone, which the page is left on, and on a laptop. */
async function expectAccessibleAtEachSize(page: Page): Promise<void> {
  await page.setViewportSize(LAPTOP);
  await expectStructureAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(PHONE);
  await expectAccessibleInEachTheme(page);
  await expectNoSidewaysScroll(page);
}

/** Each link can be hit by a finger, and moves nothing apart. */
async function expectTargetsInDetails(page: Page, eventName: string): Promise<void> {
  const details = page.locator("dl").filter({ hasText: eventName }).last();
  const links = details.getByRole("link");
  await expect(links).not.toHaveCount(0);
  for (const link of await links.all()) expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  const rows = await details
    .locator("> div")
    .evaluateAll((all) => all.map((row) => row.querySelector("dd")?.getBoundingClientRect().height ?? 0));
  expect(Math.max(...rows)).toBeLessThan(100);
}

async function reportWithFiles(world: TestWorld): Promise<ReportRecord> {
  const report = await world.report(world.maya, world.event);
  const files = `${apiOf(world, report)}/related-files`;
  await world.as(world.maya).post(files, buildForm({}, { name: "river.jpg", bytes: await createPhoto() }));
  await world
    .as(world.maya)
    .post(files, buildForm({}, { name: "words.txt", bytes: "words", type: "text/plain" }));
  return report;
}

const retitle = (world: TestWorld, report: ReportRecord, title: string) =>
  world.as(world.ada).patch(`/api/events/slug/${world.event.slug}/incidents/${report.id}/title`, { title });

/** Opens the title's form from the menu, where a link stands without script. */
async function openTitle(page: Page, scripted: boolean): Promise<void> {
  await page.locator("summary", { hasText: /^More/ }).click();
  if (scripted) return press(page, "Edit title…");
  await page.getByRole("link", { name: "Edit title…" }).click();
}

const blurOf = (picture: Locator) => picture.evaluate((element) => getComputedStyle(element).filter);
