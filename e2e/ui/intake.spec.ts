import type { Page } from "@playwright/test";
import type { TestPerson, TestWorld } from "#e2e/support/world.ts";
import {
  expect,
  expectNoSidewaysScroll,
  expectStructureAccessible,
  expectUsable,
  PHONE,
  test,
  waitForScript,
} from "./support/test.ts";

/** A team member writes down what somebody tells them, and the person takes the receipt along. */

test.use({ viewport: PHONE });

const STORY = "He followed me from the bar to the tram.";
const SEEN = "She was shaking. LANTERN waited outside.";

async function writeDown(page: Page, { event }: TestWorld): Promise<void> {
  await page.goto(`/e/${event.slug}/take`);
  await page.getByRole("radio", { name: "In person" }).check();
  await page.getByLabel("In their own words").fill(STORY);
  await page.getByLabel("What you saw yourself").fill(SEEN);
  await page.getByLabel("A quiet place", { exact: true }).check();
  await page.getByLabel("Time: A quiet place").fill("00:01");
}

/** The title of a report that nobody gave one, which holds none of its words. */
const TITLE_OF_THE_DAY = /^Report of \d{1,2} [A-Z][a-z]{2,3}$/;

const addResponder = (world: TestWorld, name: string) =>
  world.person(`${name} Responder`, { events: [[world.event, "Responder"]] });

const countNotifications = async ({ service }: TestWorld, { id }: TestPerson, incidentId: string) =>
  (await service.sql("select 1 from notifications where user_id = $1 and incident_id = $2", [id, incidentId]))
    .length;

const setConflictCheck = (world: TestWorld, conflictCheck: boolean) =>
  world.as(world.olga).put(`/api/organizations/${world.organization.id}`, { conflictCheck });

/** The name as the team sees it before it opens the report. */
const findReportedPerson = async ({ service }: TestWorld, words: string) =>
  (
    await service.sql<{ name: string | null }>(
      "select reported_person_name as name from incidents where description = $1 order by created_at desc limit 1",
      [words],
    )
  )[0]?.name;

const readWords = async (page: Page): Promise<string[]> =>
  (
    await page
      .getByRole("list", { name: /seven words/i })
      .getByRole("listitem")
      .allInnerTexts()
  ).map((text) => text.replace(/[^a-z]/g, ""));

async function typeTwoWords(page: Page, words: readonly string[]): Promise<void> {
  await page.getByLabel("Word 2").fill(words[1] ?? "");
  await page.getByLabel("Word 6").fill(words[5] ?? "");
  await page.getByRole("button", { name: "I have the words" }).click();
  await expect(page.getByRole("heading", { name: "Thank you for telling us" })).toBeVisible();
}

const findLastPart = (url: string) => new URL(url).pathname.split("/").at(-1);

/** The person has the device, so neither going back nor an address leads to a page of the team. */
async function expectTeamPagesLocked(page: Page, { event }: TestWorld, incidentId?: string): Promise<void> {
  const here = page.url();
  if (!incidentId) {
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
    await expect(page.getByText("What you saw yourself")).toHaveCount(0);
    await page.goto(here);
  }
  for (const path of [
    "/inbox",
    `/e/${event.slug}/take`,
    `/e/${event.slug}/i/${incidentId ?? findLastPart(here)}`,
  ])
    expect((await page.request.get(path)).url()).toContain("/login?next=");
}

/** Opens another tab, which learns of the sign-out only once its script listens. */
async function openInbox(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  waitForScript(tab);
  await tab.goto("/inbox");
  return tab;
}

/** What the person finds with their words, on a device of their own. */
async function readMailbox({ service }: TestWorld, words: readonly string[]) {
  const own = service.visitor();
  const { status } = await own.post("/api/mailbox/session", { words: words.join(" ") });
  expect(status).toBe(204);
  return own.get("/api/mailbox");
}

test("a person reads their report back, corrects it, and gets the receipt", async ({
  page,
  signIn,
  world,
}) => {
  await setConflictCheck(world, true);
  await signIn(world.omar);
  await writeDown(page, world);
  await page.getByLabel("Name of the person this is about").fill("Jo Exampel");
  await expectUsable(page);
  await expectNoSidewaysScroll(page);
  const other = await openInbox(page);
  await page.getByRole("button", { name: "Save and read it back" }).click();

  await expect(page.getByRole("heading", { name: "Is this what you told us?" })).toBeVisible();
  if (other) await expect(other.getByRole("dialog", { name: "You’re signed out" })).toBeVisible();
  await expectTeamPagesLocked(page, world);
  await expectUsable(page);
  await expectNoSidewaysScroll(page);
  expect(await page.content()).not.toContain("LANTERN");
  const incidentId = findLastPart(page.url());
  await page.getByLabel("What happened").fill(`${STORY} He did not speak.`);
  await expect(page.getByLabel("Name of the person this is about")).toHaveValue("Jo Exampel");
  await page.getByLabel("Name of the person this is about").fill("Jo Example");
  await page.getByRole("button", { name: "Yes, this is right" }).click();

  await expect(page.getByRole("heading", { name: "Take these seven words with you" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Take these seven words with you" })).toBeVisible();
  await expectTeamPagesLocked(page, world, incidentId);
  await expectUsable(page);
  await expectNoSidewaysScroll(page);
  const words = await readWords(page);
  expect(words).toHaveLength(7);
  await expect(page.getByRole("link", { name: "Download" })).toHaveCount(0);
  await page.getByRole("button", { name: "I have the words" }).click();
  await expect(page.getByText("Enter words 2 and 6 from your own copy.").first()).toBeVisible();
  await typeTwoWords(page, words);
  await expect(page.getByText("Leave this page quickly")).toHaveCount(0);

  // The device shows the words no more: not by going back, and not by opening the page.
  // Without script, the browser would have to send the form again.
  await page.goBack().catch(() => undefined);
  await expect(page.getByRole("list", { name: /seven words/i })).toHaveCount(0);
  await page.goto("/mailbox");
  await expect(page.getByLabel("Your seven words")).toHaveValue("");

  const { body, text } = await readMailbox(world, words);
  expect(body.mailbox.report).toMatchObject({
    title: expect.stringMatching(TITLE_OF_THE_DAY),
    description: `${STORY} He did not speak.`,
  });
  expect(text).not.toContain("LANTERN");
  expect(await findReportedPerson(world, `${STORY} He did not speak.`)).toBe("Jo Example");
  await setConflictCheck(world, false);

  await signIn(world.omar);
  await page.goto(`/e/${world.event.slug}/i/${incidentId}`);
  await page.getByText("Text before the correction").click();
  await expect(page.getByText(`${STORY}\n\nJo Exampel`, { exact: true })).toBeVisible();
});

test("a report that nobody confirmed says so, and can be read back later", async ({
  page,
  signIn,
  world,
}) => {
  await signIn(world.omar);
  await writeDown(page, world);
  await correct(page, `${STORY} In the dark.`);
  await test.step("corrections stay when the page is read in another language", async () => {
    await page.getByRole("button", { name: "Deutsch" }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    await expect(page.locator("textarea[name=description]")).toHaveValue(`${STORY} In the dark.`);
    await expect(page.locator("input[name=title]")).toHaveValue("Followed to the tram");
  });
  await page.context().addCookies([{ name: "heed_locale", value: "ar", url: process.env.HEED_UI_URL ?? "" }]);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  // The colors are those of the page in English, which the journey before this one looks at.
  await expectStructureAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.context().clearCookies({ name: "heed_locale" });
  await page.getByRole("link", { name: "تركه غير مؤكد" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  const incidentPath = new URL(page.url()).searchParams.get("next") ?? "";
  await signIn(world.omar);
  await page.goto(incidentPath);
  await expect(page.getByText("Not confirmed by the person")).toBeVisible();
  await expect(page.getByRole("paragraph").filter({ hasText: SEEN })).toBeVisible();
  await expect(page.getByText("A quiet place")).toBeVisible();
  await page.getByRole("button", { name: "Read it back to the person" }).click();
  await page.getByRole("button", { name: "Yes, this is right" }).click();
  await expect(page.getByRole("heading", { name: "Take these seven words with you" })).toBeVisible();
  const words = await readWords(page);
  // As after ten minutes.
  await page.context().clearCookies({ name: "mailbox" });
  await page.getByLabel("Word 2").fill(words[1] ?? "");
  await page.getByRole("button", { name: "I have the words" }).click();
  await expect(page.getByText(/Nothing is open on this device|no longer open/).first()).toBeVisible();
});

test("a refused form comes back with all text, and a report is hidden from whom the person names once it is saved", async ({
  page,
  signIn,
  world,
}) => {
  const [first, second] = [await addResponder(world, "First"), await addResponder(world, "Second")];
  await signIn(world.omar);
  await page.goto(`/e/${world.event.slug}/take`);
  await page.getByRole("button", { name: "Save and read it back" }).click();
  await expect(page.getByText("In their own words is missing").first()).toBeVisible();
  await expect(page.getByText("Short title is missing")).toHaveCount(0);
  await writeDown(page, world);
  const choice = page.getByRole("group", { name: "Who must not see this report" });
  await expect(choice.getByRole("checkbox", { name: world.omar.name })).toHaveCount(0);
  await choice.getByRole("checkbox", { name: world.ada.name }).check();
  await choice.getByRole("checkbox", { name: first.name }).check();
  await page.getByRole("button", { name: "Save and read it back" }).click();
  await expect(page.getByText(/no Admin of the event could read the report/).first()).toBeVisible();
  await expectUsable(page);
  await expect(choice.getByRole("checkbox", { name: first.name })).toBeChecked();
  await choice.getByRole("checkbox", { name: world.ada.name }).uncheck();
  await choice.getByRole("checkbox", { name: second.name }).check();
  await page.getByLabel("Short title").fill("Short");
  await page.getByRole("button", { name: "Save and read it back" }).click();
  await expect(page.getByText(/Short title must be 10 to 70/).first()).toBeVisible();
  await expect(choice.getByRole("checkbox", { checked: true })).toHaveCount(2);
  await expect(page.getByLabel("In their own words")).toHaveValue(STORY);
  await expect(page.getByLabel("What you saw yourself")).toHaveValue(SEEN);
  await expect(page.getByLabel("A quiet place", { exact: true })).toBeChecked();
  await expect(page.getByLabel("Time: A quiet place")).toHaveValue("00:01");
  await page.getByLabel("Short title").fill("Followed to the tram");
  await page.getByRole("button", { name: "Save and read it back" }).click();
  await expect(page.getByRole("heading", { name: "Is this what you told us?" })).toBeVisible();
  const id = findLastPart(page.url()) ?? "";

  const read = async (person: TestPerson) =>
    (await world.as(person).get(`/api/events/${world.event.id}/incidents/${id}`)).status;
  expect([await read(first), await read(second), await read(world.ada)]).toEqual([404, 404, 200]);
  await expect.poll(() => countNotifications(world, world.ada, id)).toBe(1);
  expect(await countNotifications(world, first, id)).toBe(0);
  expect(await countNotifications(world, second, id)).toBe(0);
  await world.service.sql("delete from event_roles where user_id = any($1)", [[first.id, second.id]]);
});

/** The person corrects what was written down, on the device that was handed over. */
async function correct(page: Page, text: string): Promise<void> {
  await page.getByRole("button", { name: "Save and read it back" }).click();
  await expect(page.getByRole("heading", { name: "Is this what you told us?" })).toBeVisible();
  await page.getByLabel("What happened").fill(text);
  await page.getByLabel("Short title").fill("Followed to the tram");
}

test("the words are hidden once nobody uses the device, and only the service shows them again", async ({
  page,
  signIn,
  world,
}) => {
  await page.clock.install();
  await signIn(world.omar);
  await writeDown(page, world);
  await page.getByRole("button", { name: "Save and read it back" }).click();
  await page.getByRole("button", { name: "Yes, this is right" }).click();
  const list = page.getByRole("list", { name: "Your seven words" });
  await expect(list).toBeVisible();
  const words = await readWords(page);
  const cover = page.getByRole("dialog", { name: "The seven words are hidden" });
  const expectCovered = async () => {
    await expect(cover).toBeVisible();
    await expect(list).toHaveCount(0);
    // Not in the scripts that carried the page either.
    const content = await page.content();
    expect(words.every((word) => content.includes(word))).toBe(false);
    for (let time = 0; time < 3; time += 1) await page.keyboard.press("Escape");
    await expect(cover).toBeVisible();
    await expectUsable(page);
    await expectNoSidewaysScroll(page);
  };

  // What browsers announce when "Back" or "Forward" brings the page back from their memory.
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await expectCovered();
  await cover.getByRole("button", { name: "Show the words again" }).click();
  await expect(list).toBeVisible();
  expect(await readWords(page)).toEqual(words);

  await page.clock.fastForward("09:00");
  await page.getByLabel("Word 2").fill(words[1] ?? "");
  await page.clock.fastForward("09:00");
  await expect(list).toBeVisible();
  await page.clock.fastForward("01:01");
  await expectCovered();
  await expect(
    cover.getByText(/^This device can’t show them again\. With your own copy, .*\/mailbox/),
  ).toBeVisible();
  await expect(cover.getByRole("button")).toHaveCount(0);
  await cover.getByRole("link", { name: "For the team: sign in again" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});

const countReports = async ({ service }: TestWorld, description: string) =>
  (await service.sql("select 1 from incidents where description = $1", [description])).length;

test("nothing typed is lost with the connection, and sending again files one report", async ({
  page,
  signIn,
  world,
}) => {
  const story = `${STORY} Twice.`;
  const form = page.getByRole("form", { name: "Take a report" });
  const save = page.getByRole("button", { name: "Save and read it back" });
  const expectTyped = async () => {
    await expect(page.getByLabel("In their own words")).toHaveValue(story);
    await expect(page.getByLabel("What you saw yourself")).toHaveValue(SEEN);
    await expect(page.getByRole("radio", { name: "Phone" })).toBeChecked();
    await expect(page.getByLabel("A quiet place", { exact: true })).toBeChecked();
    await expect(page.getByLabel("Time: A quiet place")).toHaveValue("00:01");
    await expect(page.getByRole("checkbox", { name: world.ada.name })).toBeChecked();
  };
  await signIn(world.omar);
  await writeDown(page, world);
  await page.getByRole("radio", { name: "Phone" }).check();
  await page.getByRole("checkbox", { name: world.ada.name }).check();
  await page.getByLabel("In their own words").fill(story);

  await page.context().setOffline(true);
  await save.click();
  await expect(form.getByText("Not sent: you’re offline.")).toBeVisible();
  await expect(page.getByText("You’re offline. What you typed stays here.")).toBeVisible();
  await expectTyped();
  await expectUsable(page);
  await expectNoSidewaysScroll(page);

  // The report arrives, but its response doesn't.
  await page.context().setOffline(false);
  await page.reload();
  await expectTyped();
  await page.getByRole("checkbox", { name: world.ada.name }).uncheck();
  await page.route("**/take", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch({ maxRedirects: 0 });
    await route.abort();
  });
  await save.click();
  await expect(form.getByText("There was no response")).toBeVisible();
  expect(await countReports(world, story)).toBe(1);
  await page.unroute("**/take");
  await page.reload();
  await expect(page.getByLabel("In their own words")).toHaveValue(story);
  await save.click();
  await expect(page.getByRole("heading", { name: "Is this what you told us?" })).toBeVisible();
  expect(await countReports(world, story)).toBe(1);
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => /draft/.test(key)))).toEqual(
    [],
  );
});
