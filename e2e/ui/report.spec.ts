import type { Locator, Page } from "@playwright/test";
import { createPhoto, createPng } from "#e2e/support/evidence.ts";
import { PASSWORD, type EventRef, type TestWorld } from "#e2e/support/world.ts";
import {
  expect,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  expectUsable,
  expectUsableFromNarrowestPhone,
  LAPTOP,
  PHONE,
  signInWithContext,
  pressTabUntilFocused,
  test,
} from "./support/test.ts";

test.use({ viewport: PHONE });

const INCIDENTS = "**/api/events/slug/*/incidents";
const STORY = "Someone kept interrupting and shouted at me in the workshop.";
const HALF_PDF = Buffer.from("%PDF-1.7\n1 0 obj << /Author (Maya Castillo)");
const ELSEWHERE = "https://www.wikipedia.org/";

const storyField = (page: Page) => page.getByLabel("In your own words");
const subject = (page: Page) => page.getByLabel("Short title");
const onward = (page: Page) => page.getByRole("button", { name: "Continue" }).click();
const sendIt = (page: Page) => page.getByRole("button", { name: "Send report" }).click();

/** Opens the form and comes to its first question. */
async function begin(page: Page, slug: string): Promise<void> {
  await page.goto(`/e/${slug}/report`);
  await page.getByRole("button", { name: "Start" }).click();
  await expectStep(page, "What happened", 1);
}

async function expectStep(page: Page, title: string, at: number): Promise<void> {
  await expect(page.getByRole("heading", { level: 2, name: title })).toBeFocused();
  await expect(page.getByText(`Step ${at} of 5`, { exact: true }).filter({ visible: true })).toBeVisible();
}

const STEPS = [
  "What happened",
  "When, where and who",
  "Photos and files",
  "Your name and contact",
  "Check and send",
];

/** Goes on from a step to a later one, each seen before the next press. */
async function goOn(page: Page, from: number, to: number): Promise<void> {
  for (let at = from + 1; at <= to; at += 1) {
    await onward(page);
    await expectStep(page, STEPS[at - 1] ?? "", at);
  }
}

/** Answers what has to be answered, and comes to a step; the fifth is the summary. */
async function comeTo(page: Page, slug: string, step: number): Promise<void> {
  await begin(page, slug);
  await storyField(page).fill(STORY);
  await goOn(page, 1, step);
}

test("a report goes through its steps, and the summary shows what will be sent", async ({
  page,
  signIn,
  world,
}) => {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(process.env.HEED_UI_URL ?? "-")) foreign.push(request.url());
  });
  await signIn(world.maya);
  await begin(page, world.event.slug);
  await onward(page);
  await expect(page.getByRole("alert").first()).toContainText("Say what happened");
  await expect(page.getByRole("alert").first()).toBeFocused();
  await page.getByRole("alert").first().getByRole("link").click();
  await expect(storyField(page)).toBeFocused();
  // A link within the page leads nowhere else in the form, either.
  await page.getByRole("link", { name: "Skip to content" }).press("Enter");
  await expect(page.locator("#content")).toBeFocused();
  await expect(storyField(page)).toBeVisible();
  const direction = () => storyField(page).evaluate((field) => getComputedStyle(field).direction);
  await storyField(page).fill("صرخ أحدهم في وجهي.");
  expect(await direction()).toBe("rtl");
  await storyField(page).fill("A man shouted at the volunteer. Then he left.");
  expect(await direction()).toBe("ltr");
  await expect(subject(page)).toHaveValue(/^Report of \d{1,2} [A-Z][a-z]{2,3}$/);
  await onward(page);
  await expectStep(page, "When, where and who", 2);
  await expect(whomItIsAbout(page), "the event has no conflict check").toHaveCount(0);
  await page.getByLabel("Day it happened").fill("2099-07-04");
  await page.getByLabel("Where it happened").fill("Room 4");
  await page.getByLabel("What kind of incident was it?").selectOption("Threats or violence");
  await onward(page);
  await expect(page.getByRole("alert").first()).toContainText("The day or time is in the future.");
  await page.getByLabel("Yes, this is in the future").check();
  await onward(page);
  await expectStep(page, "Photos and files", 3);
  await page
    .getByLabel("Photos, recordings, documents")
    .setInputFiles({ name: "hallway.jpg", mimeType: "image/jpeg", buffer: await createPhoto() });
  const chosen = page.getByRole("list", { name: "Chosen files" });
  await expect(chosen).toContainText("hallway.jpg");
  await expect(chosen).toContainText("We’ll remove it from the team’s copy.");
  await page
    .getByLabel("Photos, recordings, documents")
    .setInputFiles({ name: "door.png", mimeType: "image/png", buffer: await createPng() });
  await page.getByLabel("What it shows: door.png").fill("The door that was locked");
  await onward(page);
  await expectStep(page, "Your name and contact", 4);
  await page.goBack();
  await expectStep(page, "Photos and files", 3);
  await goOn(page, 3, 5);
  for (const said of ["A man shouted at the volunteer. Then he left.", "Room 4", "The door that was locked"])
    await expect(page.getByText(said, { exact: true }).filter({ visible: true })).toBeVisible();
  await expect(page.getByText("4 Jul 2099", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Change: When, where and who" }).click();
  await page.getByLabel("Day it happened").fill("2026-07-04");
  await page.getByLabel("Time of day").selectOption("Evening");
  await page.getByLabel("Where it happened").fill("Room 5");
  await page.getByRole("button", { name: "Check report" }).click();
  await expect(page.getByText("Room 5", { exact: true }).filter({ visible: true })).toBeVisible();
  await expect(page.getByText("4 Jul 2026, Evening", { exact: true })).toBeVisible();
  await expect(page.getByText(/^Threats or violence, \d/).filter({ visible: true })).toBeVisible();
  await sendIt(page);
  await expect(page).toHaveURL(/\/report\/sent\?id=/);
  expect(foreign, "nothing comes from another site").toEqual([]);
  const { body } = await world.as(world.maya).get(`/api/events/${world.event.id}/incidents?search=volunteer`);
  expect(body.incidents[0]).toMatchObject({
    title: expect.stringMatching(/^Threats or violence, \d{1,2} [A-Z][a-z]{2,3}$/),
    location: "Room 5",
    incidentOn: "2026-07-04",
    incidentDayPart: "evening",
  });
  expect(body.incidents[0].relatedFiles).toMatchObject([
    { filename: "hallway.jpg", description: null },
    { filename: "door.png", description: "The door that was locked" },
  ]);
  // "Back" leads to what was before the form, and never into it.
  await page.goBack();
  await expect(page).not.toHaveURL(/\/report/);
});

test("whom a report is about is asked where the conflict check is on, and stays through steps and draft", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.maya);
  const event = await newCheckedEvent(world);
  await begin(page, event.slug);
  await page.getByLabel("Save a draft on this device").check();
  await storyField(page).fill(STORY);
  await goOn(page, 1, 2);
  await expect(whomItIsAbout(page)).toHaveAccessibleDescription(/before they read your report/);
  await whomItIsAbout(page).fill("Jo Example");
  await onward(page);
  await expectStep(page, "Photos and files", 3);
  await page.goBack();
  await expect(whomItIsAbout(page)).toHaveValue("Jo Example");
  await expect.poll(async () => (await readDrafts(page)).join()).toContain("Jo Example");
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByRole("button", { name: "Continue draft" }).click();
  await expect(storyField(page)).toHaveValue(STORY);
  await goOn(page, 1, 5);
  await expect(page.getByText("Jo Example", { exact: true }).filter({ visible: true })).toBeVisible();
  await expectUsableFromNarrowestPhone(page);
  await sendIt(page);
  await expect(page).toHaveURL(/\/report\/sent/);
  expect(await readReportedNames(world, event)).toEqual(["Jo Example"]);
});

/** An event that anyone can report at, in an organization with the conflict check. */
async function newCheckedEvent(world: TestWorld): Promise<EventRef> {
  const organization = await world.newOrganization();
  const event = await world.newEvent(organization);
  await world.grant(world.ada, event, "Admin");
  await world.service.sql("update organizations set conflict_check = true where id = $1", [organization.id]);
  return event;
}

const whomItIsAbout = (page: Page) => page.getByLabel("Name of the person this is about");

const readReportedNames = async (world: TestWorld, { id }: EventRef) =>
  (
    await world.service.sql<{ name: string }>(
      "select reported_person_name as name from incidents where event_id = $1",
      [id],
    )
  ).map(({ name }) => name);

test("a report is sent with the keyboard alone", async ({ page, signIn, world }) => {
  await signIn(world.rita);
  await page.goto(`/e/${world.event.slug}/report`);
  await pressTabUntilFocused(page, page.getByRole("button", { name: "Start" }));
  await page.keyboard.press("Enter");
  await expectStep(page, "What happened", 1);
  await pressTabUntilFocused(page, storyField(page));
  await page.keyboard.type("They blocked the door of the lift. Nobody helped.");
  await pressTabUntilFocused(page, page.getByRole("button", { name: "Continue" }));
  await page.keyboard.press("Enter");
  await expectStep(page, "When, where and who", 2);
  await pressTabUntilFocused(page, page.getByLabel("Where it happened"));
  await page.keyboard.type("The lift");
  // Enter in a line goes on, too.
  await page.keyboard.press("Enter");
  await expectStep(page, "Photos and files", 3);
  for (const [title, at] of [
    ["Your name and contact", 4],
    ["Check and send", 5],
  ] as const) {
    await pressTabUntilFocused(page, page.getByRole("button", { name: "Continue" }));
    await page.keyboard.press("Enter");
    await expectStep(page, title, at);
  }
  await pressTabUntilFocused(page, page.getByRole("button", { name: "Send report" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/report\/sent/);
});

test("quick exit covers neither a field, focused or linked from an error, nor the end of the page; an anonymous report names nobody, and the link to the content costs no step of the way back", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.maya);
  await begin(page, world.event.slug);
  await test.step("quick exit covers no part of a field that an error links to", async () => {
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "There is a problem" })).toBeFocused();
    const [field, bar] = [page.getByLabel("In your own words"), page.locator(".exit-bar")];
    // The field is in view, but partly under the bar.
    const ends = (await boxOf(bar)).y + 20;
    await page.evaluate((by) => window.scrollBy(0, by), (await boxOf(field)).y - ends);
    await page.getByRole("link", { name: "Say what happened" }).press("Enter");
    await expect(field).toBeFocused();
    const { y, height } = await boxOf(field);
    expect(y + height).toBeLessThanOrEqual((await boxOf(bar)).y);
  });
  await test.step("quick exit covers neither the end of the page nor a focused field", async () => {
    const overlap = () =>
      page.evaluate(() => {
        const bar = document.querySelector(".exit-bar");
        const held = document.activeElement;
        if (!bar || !held || held === document.body || bar.contains(held)) return "";
        return held.getBoundingClientRect().top >= bar.getBoundingClientRect().top ? held.outerHTML : "";
      });
    for (let presses = 0; presses < 16; presses += 1) {
      await page.keyboard.press("Tab");
      expect(await overlap()).toBe("");
    }
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const [bar, choice] = [page.locator(".exit-bar"), page.getByRole("button", { name: "Deutsch" })];
    const place = async () => {
      const [top, bottom] = [await bar.boundingBox(), await choice.boundingBox()];
      return (top?.y ?? 0) - ((bottom?.y ?? 0) + (bottom?.height ?? 0));
    };
    await expect.poll(place).toBeGreaterThanOrEqual(0);
  });
  await storyField(page).fill("An anonymous word about the talk.");
  await subject(page).fill("A word about the talk");
  const skip = page.getByRole("link", { name: "Skip to content" });
  for (const goBack of [() => page.goBack(), () => page.getByRole("button", { name: "Back" }).click()]) {
    await goOn(page, 1, 2);
    await skip.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("main")).toBeFocused();
    await goBack();
    await expectStep(page, "What happened", 1);
    await expect(storyField(page)).toHaveValue("An anonymous word about the talk.");
  }
  await goOn(page, 1, 4);
  const wish = page.getByRole("group", { name: "How can the team reach you?" });
  await expect(wish).toBeVisible();
  await page.getByLabel("Leave my name out").check();
  await expect(wish).toBeHidden();
  await goOn(page, 4, 5);
  await expect(page.getByText("Your name is left out", { exact: true })).toBeVisible();
  await expect(
    page.getByText("When you come back with the seven words you get after sending", { exact: true }),
  ).toBeVisible();
  const request = page.waitForRequest(INCIDENTS);
  await sendIt(page);
  expect((await request).postDataBuffer()?.toString()).not.toContain("contactMethod");
  await expect(page).toHaveURL(/\/mailbox$/);
  await expect(page.getByRole("list", { name: "Your seven words" }).getByRole("listitem")).toHaveCount(7);
  const { body } = await world
    .as(world.omar)
    .get(`/api/events/${world.event.id}/incidents?search=about%20the%20talk`);
  expect(body.incidents[0]).toMatchObject({ reporterId: null, reporter: null });
});

/** Holds every response to an address until it is let go. @returns how many asked, and what lets them go */
async function hold(page: Page, address: string) {
  const held = { requestCount: 0, letGo: () => {} };
  const free = new Promise<void>((resolve) => (held.letGo = resolve));
  await page.route(address, async (route) => {
    held.requestCount += 1;
    await free;
    await route.continue().catch(() => undefined);
  });
  return held;
}

test("a report that isn't sent keeps all text, says whether it may have arrived, and can be sent again, also after the session has ended", async ({
  page,
  context,
  world,
}) => {
  const person = await world.person("Leaf Holm", { events: [[world.event, "Reporter"]] });
  await signInWithContext(context, world, person);
  await comeTo(page, world.event.slug, 4);
  await onward(page);
  await expectStep(page, "Check and send", 5);
  const alert = page.getByRole("alert").first();
  await test.step("after an attempt to send, no text says that nothing was sent, and the report can be sent again", async () => {
    const nothing = page.getByText("Nothing has been sent yet.");
    await expect(nothing).toBeVisible();
    await page.route(INCIDENTS, (route) => route.abort("connectionreset"));
    await sendIt(page);
    await expect(alert).toContainText("your report may not have arrived");
    await expect(alert).toContainText("if we already have it, it won’t be counted twice");
    await expect(nothing).toHaveCount(0);
    await page.unroute(INCIDENTS);
  });
  await test.step("a response that isn't the service's own says that the report may have arrived", async () => {
    for (const answer of [
      { status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" },
      { status: 503, contentType: "application/json", body: "{}" },
      { status: 504, contentType: "application/json", body: "null" },
      { status: 200, contentType: "text/html", body: "<h1>Sign in to this network</h1>" },
    ]) {
      await page.route(INCIDENTS, (route) => route.fulfill(answer));
      const answered = page.waitForResponse(INCIDENTS);
      await sendIt(page);
      await answered;
      await expect(page.getByRole("button", { name: "Send report" })).toBeVisible();
      await expect(alert).toContainText("your report may not have arrived");
      await expect(alert).not.toContainText("nothing was saved");
      await page.unroute(INCIDENTS);
    }
    await page.route(INCIDENTS, (route) =>
      route.fulfill({
        status: 429,
        headers: { "Retry-After": "120" },
        json: { error: "Too many requests.", code: "RATE_LIMITED", details: "Try again in 120 seconds." },
      }),
    );
    await sendIt(page);
    await expect(alert).toContainText("You can send it again in 2 minutes.");
    await page.unroute(INCIDENTS);
  });
  for (const [when, address, said] of [
    ["before it left", "**/api/auth/session", "nothing was sent"],
    ["when it had left", INCIDENTS, "it may have arrived"],
  ] as const)
    await test.step(`cancelling ${when} says whether the report may have arrived`, async () => {
      const held = await hold(page, address);
      await sendIt(page);
      await expect.poll(() => held.requestCount).toBe(1);
      await page.getByRole("button", { name: "Stop sending" }).click();
      await expect(alert).toContainText(said);
      await expect(alert).toBeFocused();
      await expect(page.getByRole("button", { name: "Send report" })).toBeVisible();
      held.letGo();
      await page.unroute(address);
    });
  await test.step("a session that ends before the last step loses no text", async () => {
    await world.service.sql("delete from sessions where user_id = $1", [person.id]);
    await sendIt(page);
    const signedOut = page.getByRole("alert").filter({ hasText: "you’re signed out" });
    await expect(signedOut).toBeFocused();
    const [tab] = await Promise.all([
      page.waitForEvent("popup"),
      signedOut.getByRole("link", { name: "Sign in (opens in a new tab)" }).click(),
    ]);
    await expect(tab.getByLabel("Email")).toBeVisible();
    await tab.close();
    await signInWithContext(context, world, world.rita);
    await sendIt(page);
    await expect(
      page.getByRole("alert").filter({ hasText: "signed in to a different account" }),
    ).toBeVisible();
    await signInWithContext(context, world, person);
  });
  await test.step("a failed send keeps all text and says what to do", async () => {
    const offline = page.getByText(/^You’re offline\./).filter({ visible: true });
    await page.context().setOffline(true);
    await expect(offline).toBeVisible();
    await sendIt(page);
    await expect(page.getByRole("alert").first()).toContainText(
      "Not sent: you’re offline. What you wrote is still here.",
    );
    await page.context().setOffline(false);
    await expect(offline).toHaveCount(0);
    const busy = { error: "Busy.", code: "SERVICE_UNAVAILABLE", details: "Nothing was changed." };
    await page.route("**/api/events/slug/*/incidents", (route) => route.fulfill({ status: 503, json: busy }));
    await sendIt(page);
    await expect(page.getByRole("alert").first()).toContainText(
      "Not sent: we can’t receive your report right now",
    );
    await expect(page.getByText(STORY, { exact: true }).filter({ visible: true })).toBeVisible();
    await page.unroute("**/api/events/slug/*/incidents");
    await sendIt(page);
    await expect(page).toHaveURL(/\/report\/sent/);
    await expect(page).toHaveTitle("Heed");
    const where = "reporter_id = $1 and description = $2";
    expect(await world.service.rows("incidents", where, [person.id, STORY])).toBe(1);
  });
});

async function boxOf(part: Locator) {
  const box = await part.boundingBox();
  if (!box) throw new Error("It isn't shown.");
  return box;
}

test("a draft is stored on request, and deleted with the report, alone; a second press on the send button does nothing", async ({
  page,
  signIn,
  world,
}) => {
  // Begun without an account, and sent with one.
  await page.goto(`/e/${world.event.slug}/report?without=account`);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByLabel("Save a draft on this device").check();
  await storyField(page).fill(STORY);
  await expect.poll(async () => (await readDrafts(page)).join()).toContain(STORY);
  await signIn(world.maya);
  await begin(page, world.event.slug);
  await storyField(page).fill("Not to be kept.");
  expect(await readDrafts(page)).toHaveLength(1);
  await page.getByLabel("Save a draft on this device").check();
  await storyField(page).fill(STORY);
  await expect
    .poll(async () => (await readDrafts(page)).filter((draft) => draft.includes(STORY)))
    .toHaveLength(2);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await expect(page.getByText("You saved a draft on this device")).toBeVisible();
  await expect(page.getByText(STORY).filter({ visible: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Continue draft" }).click();
  await expect(storyField(page)).toHaveValue(STORY);
  const othersDraft = JSON.stringify({ at: Date.now(), values: { description: "Somebody else's." } });
  await page.evaluate((draft) => localStorage.setItem("heed-draft:somebody-else", draft), othersDraft);
  await goOn(page, 1, 5);
  await test.step("a second press on the send button does nothing", async () => {
    const sending = await hold(page, INCIDENTS);
    await page.getByRole("button", { name: "Send report" }).focus();
    const place = await boxOf(page.getByRole("button", { name: "Send report" }));
    const press = (share: number) =>
      page.mouse.click(place.x + place.width * share, place.y + place.height / 2, { delay: 20 });
    for (const share of [0.9, 0.9, 0.7, 0.5, 0.1]) await press(share);
    await expect.poll(() => sending.requestCount).toBe(1);
    const stop = page.getByRole("button", { name: "Stop sending" });
    await expect(stop).toBeVisible();
    expect((await boxOf(stop)).y).toBeGreaterThanOrEqual(place.y + place.height);
    for (const share of [0.1, 0.5, 0.9]) await press(share);
    await expect(page.getByRole("button", { name: "Sending…" })).toBeVisible();
    sending.letGo();
    await expect(page).toHaveURL(/\/report\/sent/);
    expect(sending.requestCount).toBe(1);
  });
  await expect.poll(() => readDrafts(page)).toEqual([othersDraft]);
});

const SCRIPTS = "**/_next/static/**/*.js";
const WRITTEN_EARLY = "He blocked the door and would not let me";

test("a form that is in use when script arrives stays as it is, with focus, keys and files, and is sent as it is", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(await world.person("Nele Brandt", { events: [[world.event, "Reporter"]] }));
  const scripts = await hold(page, SCRIPTS);
  const arrival = page.goto(`/e/${world.event.slug}/report`);
  await page.getByLabel("Where it happened").fill("Room 4");
  await page
    .getByLabel("Photos, recordings, documents")
    .setInputFiles({ name: "room.png", mimeType: "image/png", buffer: await createPng() });
  await storyField(page).pressSequentially(WRITTEN_EARLY);
  const placeBefore = await boxOf(storyField(page));
  scripts.letGo();
  await arrival;
  await expect(storyField(page)).toBeFocused();
  await page.keyboard.type(" out.");
  await expect(storyField(page)).toHaveValue(`${WRITTEN_EARLY} out.`);
  expect(await boxOf(storyField(page))).toEqual(placeBefore);
  await expect(page.getByLabel("Where it happened")).toHaveValue("Room 4");
  await expect(page.getByRole("list", { name: "Chosen files" })).toContainText("room.png");
  await sendIt(page);
  await expect(page).toHaveURL(/\/report\/sent/);
  const { body } = await world
    .as(world.ada)
    .get(`/api/events/${world.event.id}/incidents?search=would+not+let+me`);
  expect(body.incidents.map(summarizeSent)).toEqual([
    { description: `${WRITTEN_EARLY} out.`, location: "Room 4", files: ["room.png"] },
  ]);
});

const summarizeSent = ({ description, location, relatedFiles }: SentIncident) => ({
  description,
  location,
  files: relatedFiles.map(({ filename }) => filename),
});
type SentIncident = { description: string; location: string; relatedFiles: { filename: string }[] };

test("a reload, going back and a form in use keep what was written in this tab, for an hour and until it is sent", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(await world.person("Timo Falk", { events: [[world.event, "Reporter"]] }));
  const address = `/e/${world.event.slug}/report`;
  await comeTo(page, world.event.slug, 2);
  await page.getByLabel("Where it happened").fill("Room 5");
  await page.reload();
  await expect(page.getByRole("heading", { level: 2, name: STEPS[1] })).toBeVisible();
  await expect(page.getByLabel("Where it happened")).toHaveValue("Room 5");
  await page.goBack();
  await expect(storyField(page)).toHaveValue(STORY);
  await test.step("another page and back", async () => {
    await page.goto(`/e/${world.event.slug}`);
    await page.goBack();
    await expect(storyField(page)).toHaveValue(STORY);
  });
  await test.step("a form that is in use already is offered the draft", async () => {
    const scripts = await hold(page, SCRIPTS);
    const arrival = page.goto(address);
    await storyField(page).fill("Again from the start");
    scripts.letGo();
    await arrival;
    await page.unroute(SCRIPTS);
    await expect(storyField(page)).toHaveValue("Again from the start");
    await page.getByRole("button", { name: "Continue draft" }).click();
    await expect(storyField(page)).toHaveValue(STORY);
  });
  await test.step("after an hour, it is gone", async () => {
    const age = () => {
      for (const [key, draft] of Object.entries({ ...sessionStorage }))
        if (key.startsWith("heed-draft:"))
          sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(draft), at: Date.now() - 3_600_001 }));
    };
    // Nothing is left to be saved afterwards.
    await storyField(page).fill(`${STORY} Twice.`);
    await expect.poll(async () => (await readTabDrafts(page)).join()).toContain(`${STORY} Twice.`);
    await page.evaluate(age);
    await page.goto(address);
    await expect(storyField(page)).toHaveValue("");
    expect(await readTabDrafts(page)).toEqual([]);
  });
  await test.step("signing out deletes it", async () => {
    await page.getByRole("button", { name: "Start" }).click();
    await storyField(page).fill(STORY);
    await page.goto("/account");
    expect((await readTabDrafts(page)).join()).toContain(STORY);
    await page.locator("header summary").filter({ hasText: "Timo Falk" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/login|\/$/);
    expect(await readTabDrafts(page)).toEqual([]);
  });
});

const readTabDrafts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    Object.entries({ ...sessionStorage }).flatMap(([key, draft]) =>
      key.startsWith("heed-draft:") ? draft : [],
    ),
  );

const readDrafts = (page: Page): Promise<string[]> => page.evaluate(() => Object.values({ ...localStorage }));

test("quick exit by the button, and by Shift three times, leaves nothing behind", async ({
  page,
  signIn,
  world,
}) => {
  await page.context().route(`${ELSEWHERE}**`, (route) => route.fulfill({ body: "Elsewhere" }));
  for (const way of ["the button", "Shift three times"])
    await test.step(way, async () => {
      // As signing in by hand does.
      await page.context().clearCookies({ name: "heed_left" });
      await signIn(world.maya);
      await page.goto(`/e/${world.event.slug}`);
      await page.getByRole("link", { name: "Report something that happened" }).click();
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByLabel("Save a draft on this device").check();
      await storyField(page).fill(STORY);
      await expect.poll(() => readDrafts(page)).not.toEqual([]);
      // Not written to the device yet when the page is left, and not afterwards either.
      await storyField(page).pressSequentially(" And more.");
      await onward(page);
      await expectStep(page, "When, where and who", 2);
      if (way === "the button") await page.getByRole("link", { name: "Leave this page quickly" }).click();
      else await pressShiftThreeTimes(page);
      await page.waitForURL(ELSEWHERE);
      await page.goBack();
      await expect(page).toHaveURL(`/e/${world.event.slug}`);
      expect(await readDrafts(page)).toEqual([]);
      await expectSignedOut(page);
    });
});

/** However long it takes: the page counts presses within a few seconds, so its clock stands still meanwhile. */
async function pressShiftThreeTimes(page: Page): Promise<void> {
  await page.evaluate(() => {
    const now = Date.now();
    Date.now = () => now;
  });
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("Shift");
}

async function expectSignedOut(page: Page): Promise<void> {
  const session = () => page.evaluate(async () => (await fetch("/api/auth/session")).json());
  await expect.poll(session).toMatchObject({ authenticated: false });
}

test("after the quick exit, going back shows no report", async ({ page, signIn, world }) => {
  await page.context().route(`${ELSEWHERE}**`, (route) => route.fulfill({ body: "Elsewhere" }));
  const report = await world.report(world.maya, world.event, { title: "Pushed at the coat stand" });
  await signIn(world.maya);
  const own = `/e/${world.event.slug}/i/${report.id}`;
  const before = ["/inbox", `/e/${world.event.slug}/incidents`];
  for (const address of [...before, own]) {
    await page.goto(address);
    await expect(page.getByText(report.title).first()).toBeVisible();
    await expect(page).toHaveTitle("Heed");
  }
  await page.evaluate(() => sessionStorage.setItem("of this tab", "something"));
  // Words that were not sent don't hold anybody up.
  await page.getByLabel("Message", { exact: true }).fill(STORY);
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.accept();
  });
  await page.getByRole("link", { name: "Leave this page quickly" }).click();
  await page.waitForURL(ELSEWHERE);
  expect(dialogs).toEqual([]);
  for (const address of before.toReversed()) {
    await page.goBack();
    await expect(page).toHaveURL(`/login?next=${encodeURIComponent(address)}`);
    await expect(page.getByText(report.title)).toHaveCount(0);
  }
  expect(await page.evaluate(() => sessionStorage.getItem("of this tab"))).toBeNull();
  await expectSignedOut(page);
});

test("quick exit leaves at once when the service doesn't respond", async ({ page, signIn, world }) => {
  await page.context().route(`${ELSEWHERE}**`, (route) => route.fulfill({ body: "Elsewhere" }));
  await page.context().route("**/leave", () => new Promise(() => undefined));
  await signIn(world.maya);
  await page.goto("/inbox");
  // From now on no timer of the page ends: what waited for one, or for the response, would never happen.
  await page.evaluate(() => {
    Object.assign(window, { setTimeout: () => 0, setInterval: () => 0 });
  });
  const request = page.waitForRequest("**/leave");
  await page.getByRole("link", { name: "Leave this page quickly" }).click();
  await request;
  await page.waitForURL(ELSEWHERE);
  await page.goBack();
  await page.goto("/inbox");
  await expect(page).toHaveURL("/login?next=%2Finbox");
  await page.getByLabel("Email").fill(world.maya.email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/inbox");
  await expect(page.getByRole("heading", { level: 1, name: "Your reports" })).toBeVisible();
});

test("each step with long words, and what comes after sending, can be used and is no wider than the narrowest phone", async ({
  page,
  signIn,
  world,
}) => {
  const check = (what: string) => test.step(what, () => expectUsableFromNarrowestPhone(page));
  // What a laptop shows around the steps is the same for each of them.
  const checkStep = (what: string) =>
    test.step(what, async () => {
      await page.setViewportSize(PHONE);
      await expectUsable(page);
      for (const viewport of [LAPTOP, { width: 320, height: 640 }]) {
        await page.setViewportSize(viewport);
        await expectNoSidewaysScroll(page);
      }
    });
  await signIn(world.maya);
  await page.goto(`/e/${world.event.slug}/report`);
  const start = page.getByRole("button", { name: "Start" });
  await expect(start).toBeVisible();
  await check("what comes before the questions");
  await start.click();
  await expectStep(page, "What happened", 1);
  await onward(page);
  await expect(page.getByRole("alert").filter({ hasText: "Say what happened" })).toBeFocused();
  await checkStep("the first question, refused");
  await storyField(page).fill("x".repeat(300));
  for (const [at, title] of STEPS.entries()) {
    if (at === 0) continue;
    await goOn(page, at, at + 1);
    await (at === STEPS.length - 1 ? check(title) : checkStep(title));
    if (title !== "Photos and files") continue;
    const name = `${"a-long-name".repeat(12)}.png`;
    await page
      .getByLabel("Photos, recordings, documents")
      .setInputFiles({ name, mimeType: "image/png", buffer: await createPng() });
    await expect(page.getByRole("list", { name: "Chosen files" })).toContainText(name);
    await checkStep("a file with a long name");
  }
  await sendIt(page);
  await expect(page).toHaveURL(/\/report\/sent/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await check("what comes after sending");
});

test.describe("in Arabic", () => {
  test.use({ locale: "ar" });

  test("the form is read from right to left, to its end", async ({ page, signIn, world }) => {
    await signIn(world.rita);
    await page.goto(`/e/${world.event.slug}/report`);
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
    await page.getByRole("button", { name: "ابدأ" }).click();
    await page.getByLabel("بكلماتك").fill("صرخ شخص في وجهي في الورشة. ثم غادر.");
    const title = page.locator("form section:not([hidden]) h2[tabindex]");
    for (let step = 0; step < 4; step += 1) {
      const before = await title.innerText();
      await page.getByRole("button", { name: "متابعة" }).click();
      await expect(title).not.toHaveText(before);
    }
    await expectStructureAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.getByRole("button", { name: "إرسال البلاغ" }).click();
    await expect(page).toHaveURL(/\/report\/sent/);
    await expect(page.getByRole("heading", { level: 1, name: "وصل بلاغك. شكرًا لك" })).toBeVisible();
  });
});

test("each file that can't be sent is named with the reason where it is chosen, or once the service refuses it", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.maya);
  await comeTo(page, world.event.slug, 3);
  await test.step("a phone photo's hidden data is read before it is sent", async () => {
    await page
      .getByLabel("Photos, recordings, documents")
      .setInputFiles({ name: "IMG_0001.HEIC", mimeType: "", buffer: await createPhoto() });
    await expect(page.getByRole("list", { name: "Chosen files" })).toContainText(
      "We’ll remove it from the team’s copy.",
    );
    await page.getByRole("button", { name: "Remove IMG_0001.HEIC" }).click();
  });
  await test.step("an unsupported file is reported where it is chosen, by its name and by its content", async () => {
    const program = Buffer.from("MZ\u0000\u0003 of a program");
    for (const name of ["evil.exe", "holiday.jpg"]) {
      const files = page.getByLabel("Photos, recordings, documents");
      await files.setInputFiles({ name, mimeType: "image/jpeg", buffer: program });
      await expect(page.getByText(`“${name}” has a file type we don’t support.`)).toBeVisible();
      await onward(page);
      await expect(page.getByRole("alert").first()).toContainText(
        `“${name}” has a file type we don’t support.`,
      );
      await page.getByRole("button", { name: `Remove ${name}` }).click();
    }
  });
  await test.step("each file that can't be sent has its own error, and none is described as free of hidden data", async () => {
    await page.getByLabel("Photos, recordings, documents").setInputFiles([
      { name: "evil.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") },
      { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.from("") },
      { name: "not-a-photo.png", mimeType: "image/png", buffer: Buffer.from("no picture at all") },
      { name: "room.png", mimeType: "image/png", buffer: await createPng() },
    ]);
    const row = (name: string) =>
      page.getByRole("list", { name: "Chosen files" }).getByRole("listitem").filter({ hasText: name });
    await expect(row("evil.svg")).toContainText("“evil.svg” has a file type we don’t support.");
    await expect(row("empty.txt")).toContainText("“empty.txt” is empty.");
    await expect(row("not-a-photo.png")).toContainText("This file may contain hidden data");
    await expect(row("room.png")).toContainText("We found no hidden data in this file.");
    await expect(page.getByText("We found no hidden data in this file.")).toHaveCount(1);
    await expect(page.getByText("2 files can’t be sent. Remove them to continue.")).toBeVisible();
    for (const name of ["evil.svg", "empty.txt"])
      await page.getByRole("button", { name: `Remove ${name}` }).click();
    await page.getByRole("button", { name: "Remove not-a-photo.png" }).click();
    await page.getByRole("button", { name: "Remove room.png" }).click();
  });
  await test.step("a file that only the service can refuse is named in the error, with its reason", async () => {
    await page.getByLabel("Photos, recordings, documents").setInputFiles([
      { name: "room.png", mimeType: "image/png", buffer: await createPng() },
      { name: "odd.bin", mimeType: "application/octet-stream", buffer: Buffer.from("93f1c29b0d1f", "hex") },
    ]);
    await goOn(page, 3, 5);
    await sendIt(page);
    await expect(page.getByRole("alert").first()).toContainText(
      "“odd.bin” has a file type we don’t support.",
    );
    await expect(page.getByRole("alert").first()).not.toContainText("your name");
    await expect(page.getByText("Step 3 of 5", { exact: true }).filter({ visible: true })).toBeVisible();
    await page.getByRole("button", { name: "Remove odd.bin" }).click();
    await page.getByRole("button", { name: "Remove room.png" }).click();
  });
  await test.step("a file that can’t be checked is refused without a name, and accepted with a warning with one", async () => {
    await page.getByLabel("Photos, recordings, documents").setInputFiles([
      { name: "room.png", mimeType: "image/png", buffer: await createPng() },
      { name: "half.pdf", mimeType: "application/pdf", buffer: HALF_PDF },
    ]);
    const check = page.getByRole("button", { name: "Check report" });
    await check.click();
    await page.getByRole("button", { name: "Change: Your name and contact" }).click();
    await page.getByLabel("Leave my name out").check();
    await expect(page.getByText("We’ll give your files neutral names, such as “photo-1.jpg”.")).toBeVisible();
    await check.click();
    await sendIt(page);
    await expect(page.getByRole("alert").first()).toContainText(
      "“half.pdf” can’t be sent without your name: we couldn’t check it for hidden data",
    );
    await expect(page.getByText("Step 3 of 5", { exact: true }).filter({ visible: true })).toBeVisible();
    await check.click();
    await page.getByRole("button", { name: "Change: Your name and contact" }).click();
    await page.getByLabel("Leave my name out").uncheck();
    await check.click();
    await sendIt(page);
    await expect(page).toHaveURL(/\/report\/sent/);
    await page.getByRole("link", { name: "View your report" }).click();
    await expect(page.getByText("Not checked for hidden data", { exact: true })).toBeVisible();
    await expect(page.getByText(/^We couldn’t check this file for hidden data\. It may show/)).toBeVisible();
  });
});

test("another language keeps all text, the step and the draft, and shows another account none of it", async ({
  page,
  context,
  signIn,
  world,
}) => {
  await signIn(await world.person("Lena Krol", { events: [[world.event, "Reporter"]] }));
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void (dialogs.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await begin(page, world.event.slug);
  await page.getByLabel("Save a draft on this device").check();
  await storyField(page).fill(STORY);
  await onward(page);
  await expectStep(page, "When, where and who", 2);
  await page.getByLabel("Where it happened").fill("Room 4");
  await page.getByRole("button", { name: "Deutsch" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Wann, wo und wer" })).toBeFocused();
  await expect(page.getByLabel("Wo es passiert ist")).toHaveValue("Room 4");
  await page.getByRole("button", { name: "Weiter" }).click();
  await page
    .getByLabel("Fotos, Aufnahmen, Dokumente")
    .setInputFiles({ name: "room.png", mimeType: "image/png", buffer: await createPng() });
  expect(dialogs).toEqual([]);
  await page.getByRole("button", { name: "English" }).click();
  await expect.poll(() => dialogs.length).toBe(1);
  await expect(page.getByRole("heading", { level: 2, name: "Fotos und Dateien" })).toBeVisible();
  await page.getByRole("button", { name: "English" }).click();
  await expectStep(page, "Photos and files", 3);
  await onward(page);
  await onward(page);
  await expect(page.getByText(STORY, { exact: true }).filter({ visible: true })).toBeVisible();
  await sendIt(page);
  await expect(page).toHaveURL(/\/report\/sent/);
  expect([await readDrafts(page), await readTabDrafts(page)]).toEqual([[], []]);

  await test.step("text that is kept for a change of language is not shown to another account", async () => {
    await signIn(world.maya);
    await begin(page, world.event.slug);
    await storyField(page).fill(STORY);
    await signInWithContext(
      context,
      world,
      await world.person("Ole Berg", { events: [[world.event, "Reporter"]] }),
    );
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: "Beginnen" }).click();
    await expect(page.getByLabel("In Ihren eigenen Worten")).toHaveValue("");
  });
});

/**
 * Types a story into the English form as soon as script has taken it over, and chooses German before script does anything
 * else; on the German form, French.
 */
function changeLanguageOnTakeover(story: string): void {
  const nextLanguage: Record<string, string> = { en: "de", de: "fr" };
  let isTakenOver = false;
  const onCommitFiberRoot = () => {
    const field = document.querySelector<HTMLTextAreaElement>("textarea[name=description]");
    if (isTakenOver || !field || !Object.keys(field).some((key) => key.startsWith("__reactFiber"))) return;
    isTakenOver = true;
    const { lang } = document.documentElement;
    if (lang === "en") field.value = story;
    // After what React does at once with a commit, and before effects that wait for the next task.
    queueMicrotask(() =>
      document.querySelector<HTMLButtonElement>(`[name=locale][value=${nextLanguage[lang]}]`)?.click(),
    );
  };
  const hook = { supportsFiber: true, inject: () => 1, onCommitFiberUnmount() {}, onCommitFiberRoot };
  Object.assign(window, { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook });
}

test("a change of language at the moment of hydration keeps the text", async ({ page, signIn, world }) => {
  await signIn(await world.person("Ines Duarte", { events: [[world.event, "Reporter"]] }));
  await page.addInitScript(changeLanguageOnTakeover, STORY);
  await page.goto(`/e/${world.event.slug}/report`, { waitUntil: "commit" });
  await expect(page.locator("html")).toHaveAttribute("lang", "fr");
  await expect(page.locator("textarea[name=description]")).toHaveValue(STORY);
});

test("quick exit leaves room on small screens and with large letters", async ({
  page,
  context,
  signIn,
  world,
}) => {
  const call = (emergencyPhone: string | null) =>
    world.as(world.ada).patch(`/api/events/${world.event.id}/report-settings`, { emergencyPhone });
  await call("+49 (30) 555 0100");
  await signIn(world.maya);
  const tools = await context.newCDPSession(page);
  await tools.send("Page.enable");
  const bar = page.locator(".exit-bar");
  for (const address of [`/e/${world.event.slug}`, `/e/${world.event.slug}/report`])
    await test.step(address, async () => {
      await page.goto(address);
      for (const [letters, size] of [
        [32, { width: 320, height: 568 }],
        [16, { width: 360, height: 400 }],
      ] as const) {
        await page.setViewportSize(size);
        await tools.send("Page.setFontSizes", { fontSizes: { standard: letters } });
        await expect(page.locator("html")).toHaveCSS("font-size", `${letters}px`);
        await expect(bar).toHaveText("Leave this page quickly");
        // Also waits for the fonts, with which the bar may have fewer lines.
        await expectNoSidewaysScroll(page);
        expect((await boxOf(bar)).height).toBeLessThanOrEqual(size.height / 4);
        await expect(page.getByText("signs you out here").filter({ visible: true })).toHaveCount(1);
      }
    });
  await call(null);
});
