import type { Browser, Page } from "@playwright/test";
import { createJpeg, createPdf } from "#e2e/support/evidence.ts";
import { startEmptyService, type EmptyService } from "./support/empty-service.ts";
import { expect, PHONE, test, waitForScript } from "./support/test.ts";

/** From an empty server to a closed report, as the people of it do it. */

const PASSWORD = "a quiet river at dawn";

let heed: EmptyService;
test.beforeAll(async () => {
  heed = await startEmptyService();
});
test.afterAll(() => heed.stop());

async function newcomer(browser: Browser, viewport = { width: 1280, height: 900 }): Promise<Page> {
  const context = await browser.newContext({ baseURL: heed.url, viewport });
  const page = await context.newPage();
  waitForScript(page);
  return page;
}

async function createAccount(page: Page, name: string, button: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Email").fill(`${name.toLowerCase()}@example.org`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: button }).click();
}

/** Counts what somebody sees on the way: pages, the fields on them, and how many of these they have to fill in. */
async function countPage(
  page: Page,
  counts: { pages: number; fields: number; needed: number },
): Promise<void> {
  const fields = page.locator("main :is(input:not([type=hidden], [readonly]), select, textarea):visible");
  counts.pages += 1;
  counts.fields += await fields.count();
  counts.needed += await fields.and(page.locator("[required], [aria-required=true]")).count();
}

test("alone, from the landing page to an event that is open, one sees four pages and fills in four fields", async ({
  browser,
}) => {
  const counts = { pages: 0, fields: 0, needed: 0 };
  const empty = await startEmptyService();
  const context = await browser.newContext({ baseURL: empty.url });
  const ines = await context.newPage();
  waitForScript(ines);
  await ines.goto("/");
  await countPage(ines, counts);
  await ines.getByRole("link", { name: "Create the first account" }).first().click();
  await ines.waitForURL(/\/register/);
  await countPage(ines, counts);
  await createAccount(ines, "Ines", "Create account");
  await ines.waitForURL(/\/orgs\/new/);
  await expect(ines.getByLabel("Contact email")).toHaveValue("ines@example.org");
  await countPage(ines, counts);
  await ines.getByLabel("Event name").fill("Lantern Days");
  await ines.getByRole("button", { name: "Open for reports" }).click();
  await expect(ines.getByRole("heading", { name: "Lantern Days is open for reports" })).toBeVisible();
  await countPage(ines, counts);
  expect(counts).toEqual({ pages: 4, fields: 12, needed: 4 });
  await expect(ines.getByRole("listitem").filter({ hasText: /^Ines$/ })).toBeVisible();

  // Somebody without an account can report.
  const visitor = await context.browser()?.newPage({ baseURL: empty.url });
  await visitor?.goto("/e/lantern-days");
  await expect(visitor!.getByRole("link", { name: /Report something/ }).first()).toBeVisible();
  await expect(visitor!.getByText("Conference Code of Conduct").first()).toBeVisible();
  await visitor?.close();
  await context.close();
  await empty.stop();
});

// One after the other, each with the time of a test; when one fails, all of them are tried again.
test.describe.serial("a report goes from a phone in the hallway to its end", () => {
  let inviteToOrganization = "";
  let inviteForTeam = "";
  let inviteForGuests = "";
  let olga: Page;
  let omar: Page;
  let maya: Page;

  test("the first person sets the service up", async ({ browser }) => {
    const sam = await newcomer(browser);
    await sam.goto("/");
    await sam.getByRole("link", { name: "Create the first account" }).first().click();
    await createAccount(sam, "Sam", "Create account");
    await sam.waitForURL(/\/orgs\/new/);
    await sam.getByLabel("Event name").fill("Riverside Winter Gathering");
    await sam.getByRole("textbox", { name: /^Organization/ }).fill("Riverside");
    await sam.getByText("More: your own text").click();
    // Whoever sets up the first one usually runs it; Sam doesn't.
    const manages = sam.getByLabel("I’ll manage it myself");
    await expect(manages).toBeChecked();
    await manages.uncheck();
    await sam.getByRole("button", { name: "Open for reports" }).click();
    inviteToOrganization = await sam.getByLabel("Invite link").first().inputValue();
    expect(inviteToOrganization).toContain("/invite/");
  });

  test("the organization's admin accepts the invite and creates an event", async ({ browser }) => {
    olga = await newcomer(browser);
    await olga.goto(new URL(inviteToOrganization).pathname);
    await expect(olga.getByText("Riverside").first()).toBeVisible();
    await createAccount(olga, "Olga", "Create account and accept");
    await olga.waitForURL(/\/orgs\/riverside/);
    await olga.goto("/orgs/riverside/events/new");
    await olga.getByLabel("Event name").fill("Spring");
    await olga.getByRole("button", { name: "Open for reports" }).click();
    await expect(olga.getByRole("heading", { name: "Spring is open for reports" })).toBeVisible();
    await olga.goto("/e/spring/team");
    inviteForTeam = await inviteAs(olga, "Responder");
    inviteForGuests = await inviteAs(olga, "Reporter");
  });

  test("a responder joins", async ({ browser }) => {
    omar = await newcomer(browser);
    await omar.goto(new URL(inviteForTeam).pathname);
    await createAccount(omar, "Omar", "Create account and accept");
    await omar.waitForURL((url) => !url.pathname.startsWith("/invite/"));
  });

  test("somebody reports what happened, with files, on a phone", async ({ browser }) => {
    maya = await newcomer(browser, PHONE);
    await maya.goto(new URL(inviteForGuests).pathname);
    await createAccount(maya, "Maya", "Create account and accept");
    await maya.waitForURL((url) => !url.pathname.startsWith("/invite/"));
    await maya.goto("/e/spring");
    await maya
      .getByRole("link", { name: /Report something/ })
      .first()
      .click();
    await maya.getByRole("button", { name: "Start" }).click();
    await maya
      .getByLabel("In your own words")
      .fill("Somebody followed me through the hallway and would not stop.");
    await maya.getByLabel("Short title").fill("Followed through the hallway");
    await maya.getByRole("button", { name: "Continue" }).click();
    await maya.getByRole("heading", { name: "When, where and who" }).waitFor();
    await maya.getByRole("button", { name: "Continue" }).click();
    await maya.getByLabel("Photos, recordings, documents").setInputFiles([
      { name: "hallway.jpg", mimeType: "image/jpeg", buffer: await createJpeg() },
      { name: "notes.pdf", mimeType: "application/pdf", buffer: createPdf() },
    ]);
    await maya.getByRole("button", { name: "Continue" }).click();
    await maya.getByRole("heading", { name: "Your name and contact" }).waitFor();
    await maya.getByRole("button", { name: "Continue" }).click();
    await maya.getByRole("button", { name: "Send report" }).click();
    await maya.waitForURL(/\/report\/sent/);
  });

  test("the responder takes it up, resolves it, and reopens it once", async () => {
    await omar.goto("/inbox");
    await omar.getByRole("link", { name: "Followed through the hallway" }).click();
    await expect(omar.getByRole("link", { name: "hallway.jpg", exact: true })).toBeVisible();
    await omar.getByRole("button", { name: "Acknowledge", exact: true }).click();
    // The button has other words while it waits; the next move belongs to the state after it.
    await expectState(omar, "Acknowledged");

    await openMove(omar, "Start investigating…");
    await fillMove(omar, { note: "I talk to the venue's staff.", person: "Omar" });
    await send(omar, "Start investigating", "Investigating");
    await openMove(omar, "Resolve…");
    await fillMove(omar, { note: "The person was asked to leave." });
    await omar.getByRole("dialog").getByRole("radio", { name: "Don’t send a message" }).check();
    await send(omar, /^Resolve/, "Resolved");
    await openMove(omar, "Reopen…");
    await fillMove(omar, { note: "They came back." });
    // With nobody new to take it on.
    await send(omar, "Reopen", "Acknowledged");
    await openMove(omar, "Close…");
    await omar.getByRole("dialog").getByRole("radio", { name: "Don’t send a message" }).check();
    await send(omar, "Close incident", "Closed");
    await expect(omar.getByRole("button", { name: "Reopen…" })).toBeVisible();
    await expect(
      omar.getByText("The person was asked to leave.").filter({ visible: true }).first(),
    ).toBeVisible();
  });

  test("the reporter sees the status, and no team notes", async () => {
    await maya.goto("/inbox");
    await maya.getByRole("link", { name: "Followed through the hallway" }).click();
    await expect(maya.getByText("Closed").first()).toBeVisible();
    for (const note of ["I talk to the venue", "asked to leave", "They came back"])
      expect(await maya.content()).not.toContain(note);
  });

  test("the organization sees its statistics", async () => {
    await olga.goto("/orgs/riverside/insights");
    // The count and the line under it stand side by side in the text: 1, then "0 escalated".
    await expect(olga.getByRole("list", { name: "Numbers" })).toContainText(/Reports\s*1\s*0 escalated/);
    await expect(olga.locator("figure svg").first()).toBeVisible();
  });
});

async function inviteAs(admin: Page, role: string): Promise<string> {
  const form = admin.getByRole("form", { name: "New invite" });
  await form.getByLabel("Role").selectOption(role);
  const links = admin.getByLabel("Link", { exact: true });
  const before = await links.count();
  await form.getByRole("button", { name: /Create/ }).click();
  await expect(links).toHaveCount(before + 1);
  return links.first().inputValue();
}

async function openMove(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  if (!(await button.isVisible())) await page.locator("summary", { hasText: /^More/ }).click();
  await button.click();
}

async function fillMove(page: Page, { note, person }: { note: string; person?: string }): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Note").fill(note);
  if (person) await dialog.getByLabel("Who will handle it?").selectOption({ label: person });
}

async function send(page: Page, name: string | RegExp, state: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name }).click();
  await expect(dialog).toBeHidden();
  await expectState(page, state);
}

const expectState = (page: Page, state: string) =>
  expect(page.getByRole("status").getByText(state, { exact: true }).first()).toBeVisible();
