import { describe, expect, test } from "vitest";
import { createConversation, NEW_DECISION } from "#e2e/api/conversation-rows.ts";
import { buildForm, createPhoto, createPng } from "#e2e/support/evidence.ts";
import { PlainBrowser } from "#e2e/support/plain-browser.ts";
import { shareService } from "#e2e/support/service.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** How people report and come back without script: with an account, without one, and by seven words. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, omar } = world;

const STORY = "Someone kept interrupting and shouted at me in the workshop.";
const MORE = "And it went on outside.";
const WORDS = "In your own words";
const TITLE = "Short title";
const FILES = "Photos, recordings, documents";
const HALF_PDF = {
  name: "half.pdf",
  bytes: "%PDF-1.7\n1 0 obj << /Author (Maya Castillo)",
  type: "application/pdf",
};

const visit = (person?: TestPerson) => new PlainBrowser(heed.url, person && world.as(person).cookie);
const photo = async () => ({ name: "wall.jpg", bytes: await createPhoto(), type: "image/jpeg" });

/** An event of its own, at which maya reports. */
async function newPlace(settings: object = {}, organization = world.organization): Promise<EventRef> {
  const place = await world.newEvent(organization, "Lakeside open day");
  await world.grant(maya, place, "Reporter");
  await world.grant(ada, place, "Admin");
  await world.as(ada).patch(`/api/events/${place.id}/report-settings`, settings);
  return place;
}

async function openForm(place: EventRef, person?: TestPerson): Promise<PlainBrowser> {
  const browser = visit(person);
  await browser.open(`/e/${place.slug}/report${person ? "" : "?without=account"}`);
  return browser;
}

/** What the team has, oldest first. */
const arrivedAt = async (place: EventRef) =>
  (await world.as(ada).get(`/api/events/${place.id}/incidents?order=asc`)).body.incidents;

const rolesOf = (person: TestPerson, place: EventRef) =>
  heed.rows("event_roles", "user_id = $1 and event_id = $2", [person.id, place.id]);

describe("the report form", () => {
  test("sends a report with a file", async () => {
    const place = await newPlace();
    const browser = await openForm(place, maya);
    browser.fill(WORDS, STORY).fill(TITLE, "Shouted at in the workshop");
    browser.attach(FILES, { name: "room.png", bytes: await createPng(), type: "image/png" });
    await browser.fill("What they show", "The room, from the door").press("Send report");
    expect(browser.path).toMatch(/\/report\/sent\?id=/);
    expect(await arrivedAt(place)).toMatchObject([
      {
        title: "Shouted at in the workshop",
        description: STORY,
        reporterId: maya.id,
        relatedFiles: [{ filename: "room.png", description: "The room, from the door" }],
      },
    ]);
  });

  test("comes back with all text if it is refused, says what is wrong, and is sent with a city's clock", async () => {
    const place = await newPlace();
    const browser = await openForm(place, maya);
    expect(browser.text).toContain("If you leave it blank, we’ll make one from the kind of incident");
    expect(browser.text).not.toContain("We suggest one");
    expect(browser.describe("Time zone")).toBe("Enter a city, such as Berlin or New York.");
    browser.fill("Day it happened", "2026-07-04").select("Time of day", "I know the time");
    await browser
      .fill(/^Time$/, "18:30")
      .fill("Time zone", "st johns")
      .press("Send report");
    expect(browser.alert).toContain("what happened");
    const kept = ["Day it happened", /^Time$/, "Time zone"].map((label) => browser.valueOf(label));
    expect(kept).toEqual(["2026-07-04", "18:30", "st johns"]);

    browser.fill(WORDS, STORY).fill(TITLE, "Too short").fill("Where it happened", "Room 4");
    await browser.fill("What they show", "The room").press("Send report");
    expect(browser.alert).toContain("10 to 70 characters");
    expect(browser.text).toContain("What you wrote is back in the form");
    const written = [WORDS, "What they show", "Where it happened"].map((label) => browser.valueOf(label));
    expect(written).toEqual([STORY, "The room", "Room 4"]);

    await browser.fill(TITLE, "Long enough by now").press("Send report");
    // The file can't come back with the words, so its description has nothing to describe.
    expect(browser.describe("What they show")).toContain("Choose a file for each line");
    await browser
      .fill("What they show", "")
      .check("Leave my name out")
      .attach(FILES, HALF_PDF)
      .press("Send report");
    expect(browser.alert).toContain(
      "File 1 can’t be sent without your name: we couldn’t check it for hidden data",
    );
    expect([browser.valueOf(WORDS), browser.isChecked("Leave my name out")]).toEqual([STORY, true]);
    await browser.check("Leave my name out", false).fill(TITLE, "").press("Send report");
    expect(browser.path).toMatch(/\/report\/sent/);
    const [report] = await arrivedAt(place);
    expect(report.incidentAt).toBe("2026-07-04T21:00:00.000Z");
    // No title was written, and none is taken from the text.
    expect(report.title).toMatch(/^Report of \d{1,2} [A-Z][a-z]{2,3}$/);
  });

  test("takes a time by the clock of the event", async () => {
    const place = await newPlace();
    await world.as(ada).patch(`/api/events/slug/${place.slug}`, { timeZone: "America/New_York" });
    const browser = await openForm(place, maya);
    expect(browser.hasField(/^Time zone$/)).toBe(false);
    browser.fill(WORDS, STORY).fill("Day it happened", "2026-07-04").select("Time of day", "I know the time");
    await browser.fill("Time (America/New York)", "18:30").press("Send report");
    expect(await arrivedAt(place)).toMatchObject([{ incidentAt: "2026-07-04T22:30:00.000Z" }]);
  });

  test("comes back to a visitor with the reported person's name, and then is sent", async () => {
    const organization = await world.newOrganization();
    await heed.sql("update organizations set conflict_check = true where id = $1", [organization.id]);
    const place = await newPlace({}, organization);
    const browser = await openForm(place);
    expectReadableWithoutSvg(browser);
    const about = "Name of the person this is about";
    await browser.fill(WORDS, STORY).fill(about, "Jo Example").attach(FILES, HALF_PDF).press("Send report");
    expect(browser.alert).toContain("can’t be sent without your name");
    expect([browser.valueOf(WORDS), browser.valueOf(about)]).toEqual([STORY, "Jo Example"]);
    const refused = browser.path;
    await browser.fill(TITLE, "Long enough by now").press("Send report");
    expect(browser.path).toBe("/mailbox");
    expect(browser.texts("ol").some((list) => list.split(" ").length >= 7)).toBe(true);
    const names = await heed.sql("select reported_person_name as name from incidents where event_id = $1", [
      place.id,
    ]);
    expect(names).toEqual([{ name: "Jo Example" }]);
    await browser.open(refused);
    expect(browser.text).toContain("If you’ve corrected it and sent it again, it has arrived");
  });

  test("hides the report from those on the team whom its writer names", async () => {
    const place = await newPlace({ showTeam: true });
    const third = await world.person("Third Responder", { events: [[place, "Responder"]] });
    const browser = await openForm(place, maya);
    browser.check("Yes, and I can say who").check(third.name).fill(WORDS, "He shouted at me.");
    await browser.press("Send report");
    const [{ id }] = await arrivedAt(place);
    expect((await world.as(third).get(`/api/events/${place.id}/incidents/${id}`)).status).toBe(404);
  });

  test("comes back with other words than it was sent with before, links to that report, and is sent as another", async () => {
    const place = await newPlace();
    const browser = await openForm(place, maya);
    const form = browser.path;
    await browser.fill(WORDS, STORY).press("Send report");
    const sent = browser.path;
    const [first] = await arrivedAt(place);
    expect(sent).toMatch(/sent\?id=/);

    // The same form was sent before, and its response got lost.
    await browser.open(form);
    const key = /name="ticket" value="([^"]*)"/.exec(browser.html)?.[1] ?? "";
    const body = { title: "Shouting in the workshop", description: STORY };
    const headers = { "idempotency-key": key };
    const before = await world.as(maya).post(`/api/events/${place.id}/incidents`, body, { headers });
    await browser.fill(WORDS, `${STORY} ${MORE}`).press("Send report");
    expect(browser.alert).toContain("we already have a different report from this form");
    expect(browser.valueOf(WORDS)).toBe(`${STORY} ${MORE}`);
    expect(browser.hrefOf("Open the report we received")).toBe(`i/${before.body.incident.id}`);
    expect(await arrivedAt(place)).toHaveLength(2);
    await browser.press("Send report");
    expect(browser.path).toMatch(/sent\?id=/);
    const stories = (await arrivedAt(place)).map(({ description }: { description: string }) => description);
    expect(stories).toEqual([first.description, STORY, `${STORY} ${MORE}`]);
  });

  test("is refused once to somebody without a role, who becomes a member by sending it", async () => {
    const place = await newPlace({ withoutAccount: false });
    const person = await world.person("Plain Attendee");
    const browser = await openForm(place, person);
    browser.fill(WORDS, STORY).fill(TITLE, "Too short");
    await browser.fill("Where it happened", "Hall 4").press("Send report");
    expect(browser.alert).toContain("10 to 70 characters");
    expect(await rolesOf(person, place)).toBe(0);
    await browser.fill(TITLE, "Followed from hall to hall").press("Send report");
    expect(browser.path).toMatch(/\/report\/sent\?id=/);
    expect(await rolesOf(person, place)).toBe(1);
    expect(await arrivedAt(place)).toMatchObject([{ description: STORY, location: "Hall 4" }]);
  });

  test("is there again after signing in, if the session has ended meanwhile, and leaves the name out", async () => {
    const place = await newPlace({ withoutAccount: false });
    const person = await world.person("Slow Writer");
    const browser = await openForm(place, person);
    browser.fill(WORDS, STORY).check("Leave my name out");
    await heed.sql("delete from sessions where user_id = $1", [person.id]);
    await browser.press("Send report");
    expect(browser.path).toMatch(/^\/login/);
    await browser.fill("Email", person.email).fill("Password", PASSWORD).press("Sign in");
    expect([browser.valueOf(WORDS), browser.isChecked("Leave my name out")]).toEqual([STORY, true]);
    await browser.press("Send report");
    expect(browser.path).toBe("/mailbox");
    expect(await rolesOf(person, place)).toBe(0);
    expect(await arrivedAt(place)).toMatchObject([{ description: STORY, reporter: null }]);
  });
});

describe("a report's page", () => {
  const pageOf = ({ id }: { id: string }) => `/e/${event.slug}/i/${id}`;
  const apiOf = ({ id }: { id: string }) => `/api/events/${event.id}/incidents/${id}`;

  test("lets its reporter change only their own files, and remove them until the first response", async () => {
    const report = await world.report(maya, event);
    const files = `${apiOf(report)}/related-files`;
    const note = (name: string) => ({ name, bytes: "words", type: "text/plain" });
    await world.as(maya).post(files, buildForm({}, note("mine.txt")));
    await world.as(omar).post(files, buildForm({ visibleToReporter: "true" }, note("theirs.txt")));
    await world.as(omar).post(files, buildForm({}, note("LANTERN.txt")));
    const browser = visit(maya);
    await browser.open(pageOf(report));
    expect(browser.html.includes("LANTERN")).toBe(false);
    expect(browser.links().filter((name) => /^\w+\.txt$/.test(name))).toEqual(["mine.txt", "theirs.txt"]);
    expect(browser.text.split("Delete…")).toHaveLength(2);
    await world.move(report, "acknowledged");
    await browser.open(pageOf(report));
    expect(browser.text.split("Delete…")).toHaveLength(1);
    expect(browser.text.split("Describe…")).toHaveLength(2);
  });

  test("that nobody can read any more says so to its reporter, and an administrator finds it", async () => {
    const place = await world.newEvent(world.organization, "Riverside Winter Gathering");
    for (const [person, role] of [
      [maya, "Reporter"],
      [ada, "Admin"],
      [omar, "Admin"],
    ] as const)
      await world.grant(person, place, role);
    const report = await world.report(maya, place, { excludedUserIds: [omar.id] });
    const notice = "No one on the team can read this right now";
    const browser = visit(maya);
    await browser.open(`/e/${place.slug}/i/${report.id}`);
    expect([browser.text.includes("Let in"), browser.text.includes(notice)]).toEqual([true, false]);
    expect(browser.text).toContain("except for anyone from whom your report is hidden");
    await world.revoke(ada, place);
    await browser.open(`/e/${place.slug}/i/${report.id}`);
    expect(browser.text).toContain(notice);
    const ofSam = visit(world.sam);
    await ofSam.open("/system");
    expect(ofSam.text).toContain("Reports that no one on the team can read");
    expect(ofSam.text).toContain(place.name);
  });

  test("shows who read it as a number and a day to its reporter, and by name to the team", async () => {
    const report = await world.report(maya, event);
    const browser = visit(maya);
    await browser.open(pageOf(report));
    expect(browser.text).toContain("No one has opened it yet.");
    for (const person of [ada, omar]) await world.as(person).get(apiOf(report));
    await browser.open(pageOf(report));
    // Midnight may come between the second view and the page.
    expect(browser.text).toMatch(/Viewed by 2 people, most recently (today|yesterday)\./);
    const ofTeam = visit(ada);
    await ofTeam.open(pageOf(report));
    await ofTeam.follow("View access log");
    expect(ofTeam.path).toContain("kind=access");
    expect(ofTeam.texts("ol", "ul").join()).toContain(`${omar.name} viewed the incident`);
  });
});

/** A report without an account, whose mailbox is open in a browser of its own. */
async function openMailbox(): Promise<{ browser: PlainBrowser; words: string }> {
  const client = heed.visitor();
  const path = `/api/events/slug/${event.slug}/anonymous-reports`;
  const report = {
    title: "Shouted at beside the stairs",
    description: "It happened an hour ago.",
    openMailbox: true,
  };
  const { body } = await client.post(path, report, { opensMailbox: true });
  await client.post("/api/mailbox/receipt/saved");
  await client.post("/api/mailbox/receipt/confirmation", { entered: {} });
  const browser = visit();
  browser.useCookie(client.mailbox ?? "");
  await browser.open("/mailbox");
  return { browser, words: body.receipt };
}

async function enter(browser: PlainBrowser, words: string): Promise<void> {
  await browser.fill("Your seven words", words).press("Open");
}

const MESSAGE = "Message to the response team";

/** Tor Browser in its safest mode shows no SVG: what a picture says has to stand in words. */
function expectReadableWithoutSvg({ html }: PlainBrowser): void {
  expect(html.match(/<svg(?![^>]*aria-hidden)[^>]*>/g) ?? []).toEqual([]);
  const controls = [...html.matchAll(/<(a|button|summary)\b[^>]*>(.*?)<\/\1>/gs)].map(
    ([, , inner = ""]) => inner,
  );
  const wordless = controls.filter(
    (inner) => inner.includes("<svg") && !/\S/.test(inner.replace(/<[^>]+>/g, "")),
  );
  expect(wordless).toEqual([]);
}

describe("a mailbox", () => {
  test("opens with the words, takes replies, and is locked", async () => {
    const { words } = await openMailbox();
    const browser = visit();
    await browser.open("/mailbox");
    await enter(browser, words.split(" ").slice(1).join(" "));
    expect(browser.text).toContain("must be 7 words");
    await enter(browser, words.split(" ").toReversed().join(" "));
    expect(browser.alert).toContain("These words open nothing.");
    await enter(browser, words.toUpperCase());
    expect(browser.heading).toBe("Your report");
    expectReadableWithoutSvg(browser);
    for (const said of ["I forgot: it was after the keynote.", "And there were two of them."]) {
      await browser.fill(MESSAGE, said).press(/^Send$/);
      expect(browser.text).toContain("Your message was sent.");
      expect(browser.text).toContain(said);
      expect(browser.valueOf(MESSAGE)).toBe("");
    }
    await browser.press("Lock on this device");
    expect(browser.text).toContain("This is no longer open on this device. Your seven words open it again.");
    await browser.open("/mailbox");
    expect(browser.hasField("Your seven words")).toBe(true);
    expect(browser.html.includes("two of them")).toBe(false);
  });

  test("keeps a message that comes after it was closed elsewhere, or is for another one", async () => {
    const { browser, words } = await openMailbox();
    const other = heed.visitor();
    await other.post("/api/mailbox/session", { words });
    await other.delete("/api/mailbox");
    await browser.fill(MESSAGE, "These words took me a while.").press(/^Send$/);
    expect(browser.text).toMatch(/Nothing is open on this device|Your message wasn’t sent/);
    expect(browser.text).toContain("These words took me a while.");

    const [{ browser: here }, { browser: there }] = [await openMailbox(), await openMailbox()];
    here.fill(MESSAGE, "He waited at the tram.");
    here.cookies.clear();
    for (const pair of there.cookies) here.cookies.set(...pair);
    await here.press(/^Send$/);
    expect(here.text).toContain("Nothing was sent or changed.");
    expect(here.text).toContain("He waited at the tram.");
    await here.open("/mailbox");
    expect(here.html.includes("He waited at the tram.")).toBe(false);
  });

  test("keeps an unsent message when files are sent or the report is withdrawn, and asks before it is locked", async () => {
    const { browser } = await openMailbox();
    await browser
      .fill(MESSAGE, STORY)
      .attach("Add files", await photo())
      .press("Send files");
    expect(browser.links().filter((name) => name.includes(".jpg"))).not.toEqual([]);
    expect(browser.valueOf(MESSAGE)).toBe(STORY);
    await browser.press("Withdraw report");
    expect(browser.text).toContain("You withdrew this report");
    expect(browser.valueOf(MESSAGE)).toBe(STORY);
    await browser.press("Lock on this device");
    expect(browser.text).toContain("You haven’t sent your message");
    await browser.follow("Keep writing");
    expect(browser.valueOf(MESSAGE)).toBe(STORY);
    await browser.press("Lock without sending");
    expect(browser.hasField("Your seven words")).toBe(true);
    expect(browser.html.includes(STORY)).toBe(false);
  });

  test("of a reported person takes a confirmation and an appeal, without the team's name for them", async () => {
    const { words, incidentId, conversationId } = await createConversation(world);
    const at = `/api/events/${event.id}/incidents/${incidentId}/conversations/${conversationId}`;
    await world.as(omar).post(`${at}/decisions`, NEW_DECISION);
    const browser = visit();
    await browser.open("/mailbox");
    await enter(browser, words);
    expect(browser.heading).toBe("You and the response team");
    expect(browser.text).toContain("Ends on 31 May 2030");
    expect(browser.html.includes("The man at the bar")).toBe(false);
    const appeal = "This is an appeal against the decision";
    await browser.fill(MESSAGE, "I see this differently.").check(appeal).press("I have read this");
    expect(browser.text).toMatch(/You confirmed on .* that you read this/);
    expect([browser.valueOf(MESSAGE), browser.isChecked(appeal)]).toEqual(["I see this differently.", true]);
    await browser.press(/^Send$/);
    expect(browser.text).toContain("Your appeal");
  });
});
