import type { BrowserContext, Page } from "@playwright/test";
import { PASSWORD, type TestPerson, type TestWorld } from "#e2e/support/world.ts";
import { dispatchVisibilityChange, expect, expectAccessible, test, waitForScript } from "./support/test.ts";

/** A session that ends while somebody fills in a form: nothing that was typed is lost. */

const NAME = "Runa of the two rivers";

async function endSessions(world: TestWorld, person: TestPerson): Promise<void> {
  await world.service.sql("delete from sessions where user_id = $1", [person.id]);
}

/** A press that meets its button, whether the cover lies over it by then or not. */
async function pressBeneath(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, includeHidden: true }).dispatchEvent("click");
}

async function signInAgain(page: Page, person: TestPerson): Promise<void> {
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  // Passwords take their time by design.
  await page.waitForURL(({ pathname }) => pathname !== "/login");
}

test("with script the form keeps its text, and links to sign-in in another tab", async ({
  page,
  signIn,
  world,
}) => {
  const person = await world.person("Runa Vik");
  await signIn(person);
  await page.goto("/account");
  await page.getByRole("textbox", { name: "Name" }).fill(NAME);
  await endSessions(world, person);
  await pressBeneath(page, "Save name");
  const alert = page.getByRole("alert", { includeHidden: true }).filter({ hasText: "You’re signed out." });
  await expect(
    alert.getByRole("link", { name: "Sign in (opens in a new tab)", includeHidden: true }),
  ).toBeVisible();
  const cover = page.getByRole("dialog", { name: "You’re signed out" });
  await expect(cover).toBeVisible({ timeout: 15_000 });
  await expectAccessible(page);
  const [tab] = await Promise.all([
    page.waitForEvent("popup"),
    cover.getByRole("link", { name: "Sign in (opens in a new tab)" }).click(),
  ]);
  await signInAgain(tab, person);
  await expect(tab.getByRole("heading", { level: 1, name: "You’re signed in again" })).toBeVisible();
  await tab.close();
  await page.bringToFront();
  await expect(cover).toBeHidden({ timeout: 15_000 });
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue(NAME);
  await expect(page.locator("main :focus")).toHaveCount(1);
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Your name has been saved.")).toBeVisible();
});

test("a message that isn't sent because the session has ended stays in its form", async ({
  page,
  signIn,
  world,
}) => {
  const person = await world.person("Rune Vik", { events: [[world.event, "Reporter"]] });
  const report = await world.report(person, world.event, { title: "The door was locked all day" });
  await signIn(person);
  await page.goto(`/e/${world.event.slug}/i/${report.id}`);
  const box = page.getByLabel("Message", { exact: true });
  await box.fill(NAME);
  await endSessions(world, person);
  await pressBeneath(page, "Send to the team");
  await expect(
    page.getByRole("alert", { includeHidden: true }).filter({ hasText: "You’re signed out." }),
  ).toBeVisible();
  await expect(box).toHaveValue(NAME);
  await expect(page).toHaveURL(`/e/${world.event.slug}/i/${report.id}`);
});

test("unsent text is kept for its writer, and hidden from others who sign in in the same tab", async ({
  page,
  signIn,
  world,
}) => {
  const writer = await world.person("Rasmus Vik", { events: [[world.event, "Responder"]] });
  const other = await world.person("Rakel Vik", { events: [[world.event, "Responder"]] });
  const reporter = await world.person("Rigmor Vik", { events: [[world.event, "Reporter"]] });
  const report = await world.report(reporter, world.event, {
    title: "The lift stood still with people in it",
  });
  const address = new RegExp(`/e/${world.event.slug}/i/${report.id}`);
  const message = page.locator("#talk").getByLabel("Message", { exact: true });
  const note = page.locator("#talk").getByLabel("Note", { exact: true });
  /**
   * Goes on in the page that is there, as links do: nothing of the tab's memory is lost. The cover may be over it by
   * then, so nothing is asked of what lies where.
   */
  const follow = (name: string) =>
    page.getByRole("link", { name, exact: true, includeHidden: true }).first().dispatchEvent("click");
  await signIn(writer);
  await page.goto(`/e/${world.event.slug}/i/${report.id}`);
  await message.fill("LANTERN half a message");
  await note.fill("LANTERN half a note");
  await endSessions(world, writer);
  await follow("Messages");
  await expect(page).toHaveURL(/\/login/);
  await signInAgain(page, writer);
  await expect(page).toHaveURL(address);
  await expect(message).toHaveValue("LANTERN half a message");
  await expect(note).toHaveValue("LANTERN half a note");
  for (const [next, elsewhere] of [
    [other, "All"],
    [reporter, "Changes"],
  ] as const) {
    await endSessions(world, writer);
    await endSessions(world, other);
    await follow(elsewhere);
    await expect(page).toHaveURL(/\/login/);
    await signInAgain(page, next);
    await expect(page).toHaveURL(address);
    await expect(message).toHaveValue("");
    expect(
      await page
        .locator("textarea")
        .evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value).join()),
    ).not.toContain("LANTERN");
  }
});

test("a form is sent, and a status changed, by its writer only, whoever is signed in by then", async ({
  page,
  signIn,
  world,
}) => {
  const writer = await world.person("Roald Vik", { events: [[world.event, "Responder"]] });
  const other = await world.person("Ruth Vik", { events: [[world.event, "Responder"]] });
  const report = await world.report(world.maya, world.event, { title: "A drone over the garden" });
  await signIn(writer);
  await page.goto(`/e/${world.event.slug}/i/${report.id}`);
  await page.getByLabel("Message", { exact: true }).fill(NAME);
  await signIn(other);
  await page.getByRole("button", { name: "Send to reporter" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "signed out" })).toBeVisible();
  expect(await messagesOf(world, report)).toEqual([]);

  await signIn(writer);
  await page.goto(`/e/${world.event.slug}/i/${report.id}`);
  await signIn(other);
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "signed out" })).toBeVisible();
  const { body } = await world.as(world.ada).get(`/api/events/${world.event.id}/incidents/${report.id}`);
  expect(body.incident.state).toBe("submitted");
});

async function messagesOf(world: TestWorld, { id }: { id: string }): Promise<unknown[]> {
  const { body } = await world.as(world.ada).get(`/api/events/${world.event.id}/incidents/${id}/comments`);
  return body.comments;
}

test.describe("signed out elsewhere", () => {
  test("a page covers its content, and shows it with its text again to the same account", async ({
    page,
    context,
    signIn,
    world,
  }) => {
    const report = await world.report(world.maya, world.event);
    await signIn(world.omar);
    await page.goto(`/e/${world.event.slug}/i/${report.id}`);
    const note = page.getByLabel("Note", { exact: true });
    await note.fill(NAME);
    await signOutElsewhere(context);
    const cover = page.getByRole("dialog", { name: "You’re signed out" });
    await expect(cover).toBeVisible({ timeout: 15_000 });
    expect(await page.evaluate(backdropOf)).toMatch(/^rgb\(/);
    await page.bringToFront();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(cover).toBeVisible();
    expect(await page.locator("main h1").evaluate(whatIsSeenOf)).toBe("DIALOG");
    await expect(cover.getByRole("link", { name: "Leave this page quickly" })).toHaveCount(0);
    await expectAccessible(page);
    await signIn(world.omar);
    await openInbox(context);
    await expect(cover).toBeHidden({ timeout: 15_000 });
    await expect(note).toHaveValue(NAME);
    await page.getByRole("button", { name: "Save note" }).click();
    await expect(note).toHaveValue("");
    await expect(page.getByRole("list").filter({ hasText: NAME }).first()).toBeVisible();
  });

  test("another account that signs in sees none of the page's content", async ({
    page,
    context,
    signIn,
    world,
  }) => {
    const report = await world.report(world.maya, world.event, { title: "Only the two of us know this" });
    await signIn(world.maya);
    await page.goto(`/e/${world.event.slug}/i/${report.id}`);
    await page.getByLabel("Message", { exact: true }).fill(NAME);
    await signOutElsewhere(context);
    const cover = page.getByRole("dialog", { name: "You’re signed out" });
    await expect(cover.getByRole("link", { name: "Leave this page quickly" })).toBeVisible({
      timeout: 15_000,
    });
    const stranger = await world.person("Somebody Else", { events: [[world.event, "Reporter"]] });
    await signIn(stranger);
    await openInbox(context);
    await expect(cover).toHaveCount(0, { timeout: 15_000 });
    await expect(page.getByText("Only the two of us know this")).toHaveCount(0);
    await expect(page.getByText(NAME)).toHaveCount(0);
  });

  for (const signsOut of [true, false])
    test(`whoever else signs in at once finds nothing of it, ${signsOut ? "the connection being back before it was refused" : "with nobody signed out"}`, async ({
      page,
      context,
      signIn,
      world,
    }) => {
      const title = "Only the two of us know this";
      const report = await world.report(world.maya, world.event, { title });
      const stranger = await world.person("Somebody Else", { events: [[world.event, "Reporter"]] });
      await signIn(world.maya);
      // The first tab holds the live connection of both.
      await openTab(context, "/account");
      await page.goto(`/e/${world.event.slug}/i/${report.id}`);
      await expect(page.getByRole("heading", { name: title })).toBeVisible();
      await page.getByLabel("Message", { exact: true }).fill(NAME);
      if (signsOut) await signOutElsewhere(context);
      await signIn(stranger);
      await openInbox(context);
      await expect(page.getByText(title)).toHaveCount(0, { timeout: 15_000 });
      await expect(page.getByText(NAME)).toHaveCount(0);
    });

  test("the report form hides its words while its writer is away, whatever a check finds meanwhile, and has them again afterwards", async ({
    page,
    context,
    signIn,
    world,
  }) => {
    await signIn(world.maya);
    await page.goto(`/e/${world.event.slug}/report`);
    await page.getByRole("button", { name: "Start" }).click();
    const storyField = page.getByLabel("In your own words");
    await storyField.fill(NAME);
    const heading = page.getByRole("heading", { name: "You’re signed out" });
    let other = await openTab(context, "/account");
    await test.step("words are hidden until their writer signs in again", async () => {
      await signOutFromMenu(other, world.maya.name);
      await expect(heading).toBeVisible();
      await expect(storyField).toBeHidden();
      await expectAccessible(page);
      const stranger = await world.person("Somebody Else", { events: [[world.event, "Reporter"]] });
      await signIn(stranger);
      await openInbox(context);
      await expect(storyField).toBeHidden();
      await signIn(world.maya);
      other = await openTab(context, "/account");
      await expect(storyField).toHaveValue(NAME);
      await expect(storyField).toBeVisible();
    });
    await test.step("words are hidden again when a check has found the session that was just ending", async () => {
      const checked = Promise.withResolvers<void>();
      await other.route("**/account", async (route) => {
        if (route.request().method() === "POST") await checked.promise;
        await route.continue();
      });
      await other.locator("header summary").filter({ hasText: world.maya.name }).click();
      await other.getByRole("button", { name: "Sign out" }).click();
      await expect(heading).toBeVisible();
      // As when somebody comes back to the form's tab before the sign-out is through.
      await dispatchVisibilityChange(page);
      await expect(storyField).toBeVisible();
      checked.resolve();
      await other.waitForURL(/login/);
      await expect(heading).toBeVisible();
      await expect(storyField).toBeHidden();
    });
    await test.step("words stay hidden when a check that began before the sign-out is answered after it", async () => {
      await signIn(world.maya);
      await dispatchVisibilityChange(page);
      await expect(storyField).toBeVisible();
      const signedOut = Promise.withResolvers<void>();
      const checks: string[] = [];
      await page.route("**/api/auth/session", async (route) => {
        const response = await route.fetch();
        checks.push(await response.text());
        await signedOut.promise;
        await route.fulfill({ response });
      });
      // The tab announces its account, and the form checks who is signed in.
      other = await openTab(context, "/account");
      await expect.poll(() => checks.length).toBeGreaterThanOrEqual(1);
      await signOutFromMenu(other, world.maya.name);
      await expect(heading).toBeVisible();
      const answered = page.waitForResponse("**/api/auth/session");
      signedOut.resolve();
      await (await answered).finished();
      await page.waitForTimeout(300);
      expect(checks[0]).toContain(world.maya.id);
      await expect(heading).toBeVisible();
    });
  });

  test("quick exit leaves in other tabs, too", async ({ page, context, signIn, world }) => {
    const event = await world.newEvent(world.organization, "With tabs to leave");
    await world.grant(world.maya, event, "Reporter");
    await world.grant(world.ada, event, "Admin");
    const exitUrl = "https://weather.example.org/";
    await world.as(world.ada).patch(`/api/events/${event.id}/report-settings`, { exitUrl });
    await context.route(`${exitUrl}**`, (route) => route.fulfill({ body: "Elsewhere" }));
    const report = await world.report(world.maya, event);
    await signIn(world.maya);
    await page.goto(`/e/${event.slug}/i/${report.id}`);
    const other = await openTab(context, `/e/${event.slug}/report`);
    await other.getByRole("link", { name: "Leave this page quickly" }).click();
    await other.waitForURL(exitUrl);
    await page.waitForURL(exitUrl);
  });
});

/** Another tab of the same browser, hydrated: before that, what is pressed in it isn't announced to the others. */
async function openTab(context: BrowserContext, address: string): Promise<Page> {
  const tab = await context.newPage();
  waitForScript(tab);
  await tab.goto(address);
  return tab;
}

/** In a new tab: the one that signed out may be reloading itself, which would cut its navigation. */
async function openInbox(context: BrowserContext): Promise<void> {
  await openTab(context, "/inbox");
}

async function signOutFromMenu(page: Page, name: string): Promise<void> {
  await page.locator("header summary").filter({ hasText: name }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/login/);
}

/** Over HTTP, with the cookies of the browser, so that no tab announces it. */
async function signOutElsewhere(context: BrowserContext): Promise<void> {
  expect((await context.request.post("/api/auth/logout")).status()).toBe(200);
}

/** What a press on an element would meet. */
function whatIsSeenOf(element: Element): string | undefined {
  const { x, y, width, height } = element.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2)?.tagName;
}

const backdropOf = () =>
  getComputedStyle(document.querySelector("dialog[open]") as Element, "::backdrop").backgroundColor;
