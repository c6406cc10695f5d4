import { beforeAll, describe, expect, test } from "vitest";
import { ageReport } from "#e2e/support/age-report.ts";
import { NEW_DECISION } from "#e2e/api/conversation-rows.ts";
import { createPhoto } from "#e2e/support/evidence.ts";
import { PlainBrowser } from "#e2e/support/plain-browser.ts";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import {
  PASSWORD,
  TestWorld,
  type EventRef,
  type ReportRecord,
  type TestPerson,
} from "#e2e/support/world.ts";

/**
 * How those who handle reports work without script: lists, an incident, what a person tells them, and settings.
 * team-pages.test.ts finds that each form can be sent so; what it does with script as without is in e2e/ui.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization } = world;

const pageOf = ({ id }: ReportRecord, { slug } = event) => `/e/${slug}/i/${id}`;
const apiOf = ({ id, eventId }: ReportRecord) => `/api/events/${eventId}/incidents/${id}`;
const now = async (report: ReportRecord) => (await world.as(ada).get(apiOf(report))).body.incident;

/** A browser in which somebody has opened a page. */
async function open(person: TestPerson, path: string): Promise<PlainBrowser> {
  const browser = new PlainBrowser(heed.url, world.as(person).cookie);
  await browser.open(path);
  return browser;
}

async function signIn(browser: PlainBrowser, { email }: TestPerson): Promise<void> {
  await browser.fill("Email", email).fill("Password", PASSWORD).press("Sign in");
}

const endSessions = ({ id }: TestPerson) => heed.sql("delete from sessions where user_id = $1", [id]);

/** Reports that nothing else in the event is called like, newest first, and the list of just these. */
async function listOf(count: number) {
  const word = generateUniqueWord();
  const reports: ReportRecord[] = [];
  for (let n = 1; n <= count; n += 1)
    reports.unshift(await world.report(maya, event, { title: `${word} report number ${n}` }));
  return { path: `/e/${event.slug}/incidents?search=${word}`, reports, word };
}

/** The titles of a list, in their order. */
const titlesIn = (browser: PlainBrowser, titles: readonly string[]) =>
  browser
    .links()
    .map((link) => titles.find((title) => link === title || link.startsWith(`${title} `)))
    .filter((title) => title !== undefined);

describe("the inbox", () => {
  /** A new report, one that is overdue, a critical one, one that Ada has, and a closed one, in an event of its own. */
  async function startShift() {
    const place = await world.newEvent(organization, "Harbour Night Market");
    const [responder, admin, visitor, other] = await Promise.all([
      world.person("Omar On Shift", { events: [[place, "Responder"]] }),
      world.person("Ada In Charge", { events: [[place, "Admin"]] }),
      world.person("Maya Visitor", { events: [[place, "Reporter"]] }),
      world.person("Rita Visitor", { events: [[place, "Reporter"]] }),
    ]);
    const report = (title: string, from = visitor, changes = {}) =>
      world.report(from, place, { title, ...changes });
    const closed = await report("Settled between the two of them", other);
    const handled = await report("Threats beside the ferry", other, { severity: "critical" });
    const late = await report("Nobody has answered this one");
    const critical = await report("A man with a knife at the pier", visitor, { severity: "critical" });
    const fresh = await report("Loud music next to the quiet room");
    await world.move(handled, "acknowledged", { assignedToUserId: undefined });
    const assignment = { assignedResponderId: admin.id };
    await world.as(admin).patch(`/api/events/slug/${place.slug}/incidents/${handled.id}`, assignment);
    await world.move(closed, "closed", { assignedToUserId: undefined });
    await ageReport(heed, late.id, "26 hours");
    await world.as(responder).post("/api/users/me/pins", { incidentId: fresh.id, eventId: place.id });
    const titles = [closed, handled, late, critical, fresh].map(({ title }) => title as string);
    return { place, responder, visitor, admin, titles };
  }

  test("has the most urgent first, closed ones elsewhere, and finds others by pin, status, person and words", async () => {
    const { place, responder, visitor, admin, titles } = await startShift();
    const [closed, handled, late, critical, fresh] = titles as [string, string, string, string, string];
    const browser = await open(responder, `/e/${place.slug}/incidents`);
    expect(titlesIn(browser, titles)).toEqual([critical, handled, late, fresh]);
    expect(browser.part("li", late).text).toContain("Overdue by 2 h");
    await browser.open("/inbox");
    expect(titlesIn(browser, titles)).toEqual([critical, handled, late, fresh]);
    expect(browser.text).toContain("Urgent reports that no one has acknowledged, then");
    await browser.follow("Most severe first");
    expect(titlesIn(browser, titles)).toEqual([critical, handled, fresh, late]);
    await browser.follow(/^Needs us/);
    expect(titlesIn(browser, titles)).toEqual([critical, fresh, late]);
    await browser.follow(/^Finished/);
    expect(titlesIn(browser, titles)).toEqual([closed]);
    await browser.open("/inbox?choose=more");
    await browser.check("Pinned").enter("Search reports, notes, messages and names");
    expect(titlesIn(browser, titles)).toEqual([fresh]);

    await browser.open(`/inbox?assigned=${admin.id}`);
    expect(titlesIn(browser, titles)).toEqual([handled]);
    await browser.follow("Clear filters");
    expect(titlesIn(browser, titles)).toHaveLength(4);
    await browser.open(`/inbox?reporter=${visitor.id}`);
    expect(titlesIn(browser, titles)).toEqual([critical, late, fresh]);
    expect(browser.text).toContain(`Reporter: ${visitor.name}`);
    await browser.open("/inbox");
    const search = "Search reports, notes, messages and names";
    await browser.fill(search, "Settled between").enter(search);
    expect(browser.text).toContain("No matching incidents");
    await browser.follow("1 more in resolved and closed");
    expect(titlesIn(browser, titles)).toEqual([closed]);
  });

  test("changes rows together, names those that stay as they are, and pins one", async () => {
    const { path, reports } = await listOf(2);
    const [second, answered] = reports as [ReportRecord, ReportRecord];
    await world.move(answered, "acknowledged", { assignedToUserId: undefined });
    const browser = await open(ada, path);
    for (const { title } of reports) browser.check(`Select “${title}”`);
    await browser.press("Acknowledge");
    expect(browser.text).toContain("1 incident was changed.");
    expect(browser.text).toContain(`${answered.title}: it has already had a first response.`);
    expect(browser.isChecked(`Select “${answered.title}”`)).toBe(true);
    expect((await now(second)).state).toBe("acknowledged");
    await browser.open(path);
    await browser.press(`Pin “${second.title}”`);
    expect(browser.html).toMatch(/aria-pressed="true"/);
  });

  test("changes nothing in the name of somebody who has signed in since", async () => {
    const { path, reports } = await listOf(1);
    const [report] = reports as [ReportRecord];
    const browser = await open(omar, path);
    browser.check(`Select “${report.title}”`).useCookie(world.as(ada).cookie ?? "");
    await browser.press("Acknowledge");
    expect(browser.text).toContain("this browser is now signed in to a different account");
    expect(await now(report)).toMatchObject({ state: "submitted", updatedAt: report.updatedAt });
  });

  test("changes all that match, and nothing if a filter of the form is unknown", async () => {
    const { path, reports, word } = await listOf(3);
    const browser = await open(omar, `${path}&limit=2`);
    const acknowledgeAll = () =>
      browser.check(`Select “${reports[0]?.title}”`).check("Select all 3 matching").press("Acknowledge");
    const { html } = browser;
    for (const unknown of ["status=bogus", `search=${"x".repeat(201)}`]) {
      await browser.open(`${path}&limit=2`);
      browser.replaceHidden("view", unknown);
      await acknowledgeAll();
      expect(browser.path).toContain(`?${unknown}`);
    }
    expect(html).toContain(word);
    for (const report of reports) expect((await now(report)).state).toBe("submitted");
    await world.move(reports[2] as ReportRecord, "acknowledged");
    await browser.open(`${path}&limit=2`);
    await acknowledgeAll();
    expect(browser.text).toContain("2 incidents were changed.");
    expect(browser.text).toContain("it has already had a first response");
  });

  test("leads from an incident to those beside it, also once it has left the list", async () => {
    const { path, reports } = await listOf(3);
    const [first, second, third] = reports as [ReportRecord, ReportRecord, ReportRecord];
    const list = `${path}&status=submitted`;
    const browser = await open(omar, list);
    await browser.follow(new RegExp(`^${second.title}`));
    await browser.press("Acknowledge");
    await browser.open(`${pageOf(second)}?list=${encodeURIComponent(list)}`);
    await browser.follow("Previous incident");
    expect(browser.heading).toBe(first.title);
    await browser.follow("Next incident");
    expect(browser.heading).toBe(third.title);
  });

  test("says whose answer is awaited, as the incident does", async () => {
    const { path, reports } = await listOf(1);
    const [report] = reports as [ReportRecord];
    await world.move(report, "acknowledged");
    const question = { body: "Where are you?", visibility: "public", waitForReporter: true };
    await world.as(omar).post(`${apiOf(report)}/comments`, question);
    const browser = await open(omar, path);
    expect(browser.part("li", report.title).text).toContain("Waiting for reporter");
    await browser.open(pageOf(report));
    expect(browser.text).toContain("Waiting for reporter");
  });

  test("of a report that names somebody offers to hide it from them, to an Admin alone", async () => {
    const report = await world.report(world.rita, event, {
      parties: `${omar.name}, and somebody I don't know`,
    });
    const ofOmar = await open(omar, pageOf(report));
    expect([ofOmar.text.includes("Step out"), ofOmar.text.includes("The text names")]).toEqual([true, false]);
    const browser = await open(ada, pageOf(report));
    expect(browser.text).toContain("The text names");
    await browser.press(`Hide from ${omar.name}`);
    expect(browser.text).not.toContain("The text names");
    expect(browser.text).toContain("The team decided this");
    expect((await world.as(omar).get(apiOf(report))).status).toBe(404);
  });

  test("has a page that leads to a report by a part of its title", async () => {
    const { reports, word } = await listOf(1);
    const browser = await open(omar, "/inbox");
    await browser.follow("Quick jump");
    await browser.fill("Name, title or ID", word).press("Search");
    await browser.follow(new RegExp(`^${word}`));
    expect(browser.path).toContain(`/i/${reports[0]?.id}`);
  });
});

describe("an incident", () => {
  test("shows both titles after a conflict, and takes one's own", async () => {
    const report = await world.report(maya, event);
    const browser = await open(omar, pageOf(report));
    await browser.follow("Edit title…");
    const title = "The title that Ada gave it";
    await world.as(ada).patch(`/api/events/slug/${event.slug}/incidents/${report.id}/title`, { title });
    await browser.fill("Short title", "The title that Omar gave it").press("Save title");
    expect(browser.alert).toContain(title);
    expect(browser.alert).toContain("The title that Omar gave it");
    expect(browser.valueOf("Short title")).toBe("The title that Omar gave it");
    await browser.press("Use my version");
    expect(browser.heading).toBe("The title that Omar gave it");
  });

  test("is closed without a message by choice only", async () => {
    const report = await world.report(maya, event);
    const browser = await open(omar, pageOf(report));
    await browser.follow("Close…");
    const closing = () => browser.part("form", "Close incident");
    await closing().fill("Message to the reporter", "  ").press("Close incident");
    expect(browser.text).toContain("Write the message, or choose not to send one.");
    await closing().check("Don’t send a message").press("Close incident");
    expect((await now(report)).state).toBe("closed");
    expect((await world.as(maya).get(`${apiOf(report)}/comments`)).body.comments).toEqual([]);
  });

  test("takes a file, and opens its original for an Admin with a reason", async () => {
    const report = await world.report(maya, event);
    const browser = await open(ada, pageOf(report));
    const adding = () => browser.form("Add files");
    await adding().fill("What they show", "The desk, as it was left").press("Add files");
    expect(browser.alert).toContain("Choose a file first.");
    expect(adding().valueOf("What they show")).toBe("The desk, as it was left");
    const desk = { name: "desk.jpg", bytes: await createPhoto(), type: "image/jpeg" };
    await adding().attach("Photos, recordings, documents", desk).press("Add files");
    expect(browser.text).toContain("This photo contained hidden data showing where, when");
    expect((await open(omar, pageOf(report))).text).not.toContain("Open the original");
    await browser.form("Open the original of desk.jpg").press(/./);
    expect(browser.text).toContain("Say briefly why you need the original.");
  });

  test("offers no message to a reporter who has left", async () => {
    const report = await world.report(maya, event);
    const browser = await open(omar, pageOf(report));
    expect(browser.has("button", "Send to reporter")).toBe(true);
    await heed.sql("update incidents set reporter_id = null where id = $1", [report.id]);
    await browser.open(pageOf(report));
    expect(browser.text).toContain("You can’t message the reporter");
    expect(browser.has("button", "Send to reporter")).toBe(false);
  });

  test("asks a reported person to answer", async () => {
    const report = await world.report(maya, event);
    const conversations = await open(omar, `${pageOf(report)}/conversations`);
    await conversations.fill("Name for the team", "The man at the bar").press("Open a conversation");
    expect(conversations.text).toContain("Hand these words over now");
    const words = conversations.valueOf(/^Words$/);
    expect(words.split(" ")).toHaveLength(7);
    await conversations.open(`${pageOf(report)}/conversations`);
    expect(conversations.html.includes(words)).toBe(false);
    const decision = () => conversations.form("Send a decision");
    decision().fill("What was reported", NEW_DECISION.reported).fill("Finding", NEW_DECISION.finding);
    await decision()
      .fill(/^Action taken$/, NEW_DECISION.measure)
      .press("Send decision");
    expect(decision().alert).not.toBe("");
    expect(decision().valueOf("Finding")).toBe(NEW_DECISION.finding);
    await decision().fill("How to appeal", NEW_DECISION.appeal).press("Send decision");
    expect(conversations.text).toContain("Not confirmed as read");
  });
});

describe("words that were not sent, since the session had ended", () => {
  const FORMS = [
    ["message", null, "Message", "Send to reporter"],
    ["note", null, "Note", "Save note"],
    ["title", "Edit title…", /title/i, "Save title"],
    ["record", "Write…", "Team’s record", "Save record"],
  ] as const;

  test.each(FORMS)(
    "are in the form of the %s again for their writer, and for nobody else",
    async (what, opens, field, sends) => {
      const writer = await world.person("Ragna Vik", { events: [[event, "Responder"]] });
      const report = await world.report(maya, event, { title: "Glue on every chair" });
      await world.move(report, "investigating", { assignedToUserId: writer.id });
      const story = `LANTERN above the side door: ${what}`;
      const browser = await open(writer, pageOf(report));
      if (opens) await browser.follow(opens);
      const form = () => browser.part("form", sends);
      form().fill(field, story);
      await endSessions(writer);
      await form().press(sends);
      expect(browser.path).toMatch(/^\/login\?next=/);
      const back = new URL(browser.path, heed.url).searchParams.get("next") ?? "";
      const mine = [...browser.cookies];
      browser.useCookie(world.as(ada).cookie ?? "");
      await browser.open(back);
      expect([browser.heading, browser.html.includes("LANTERN")]).toEqual(["Glue on every chair", false]);
      for (const pair of mine) browser.cookies.set(...pair);
      browser.useCookie((await world.signIn(writer)).cookie ?? "");
      await browser.open(back);
      expect(browser.text).toContain("Not sent yet: you were signed out.");
      expect(form().valueOf(field)).toBe(story);
      await form().press(sends);
      expect(browser.text).toContain(story);
    },
  );

  test("are in the response of a page without such a form, and can be sent again", async () => {
    const person = await world.person("Runo Vik");
    const browser = await open(person, "/account");
    browser.form("Name").fill("Name", "Runa of the two rivers");
    await endSessions(person);
    await browser.form("Name").press("Save name");
    expect([browser.status, browser.heading]).toEqual([401, "You’re signed out"]);
    expect(browser.valueOf("What you wrote")).toBe("Runa of the two rivers");
    expect(browser.has("link", /^Sign in \(opens in a new tab\)/)).toBe(true);
  });
});

describe("a report that somebody tells the team", () => {
  const STORY = "He followed me from the bar to the tram.";
  const SEEN = "She was shaking. LANTERN waited outside.";
  const SAVE = "Save and read it back";

  /** Somebody of their own: the hand-over of the device signs them out. */
  const newResponder = () => world.person("Tara Taking", { events: [[event, "Responder"]] });

  async function writeDown(browser: PlainBrowser): Promise<void> {
    browser.check("In person").fill("In their own words", STORY).fill("What you saw yourself", SEEN);
    browser.check(/^A quiet place$/).fill("Time: A quiet place", "00:01");
    await browser.press(SAVE);
  }

  test("is read back, corrected and confirmed with two of the words, and no page of the team opens meanwhile", async () => {
    const browser = await open(await newResponder(), `/e/${event.slug}/take`);
    await browser.press(SAVE);
    expect(browser.text).toContain("In their own words is missing");
    await writeDown(browser);
    expect(browser.heading).toBe("Is this what you told us?");
    expect(browser.html.includes("LANTERN")).toBe(false);
    const readBack = browser.path;
    for (const path of ["/inbox", `/e/${event.slug}/take`]) {
      await browser.open(path);
      expect(browser.path).toContain("/login?next=");
    }
    await browser.open(readBack);
    await browser.fill("What happened", `${STORY} He did not speak.`).press("Yes, this is right");
    expect(browser.heading).toBe("Take these seven words with you");
    const words = browser
      .part("ol", /./)
      .texts("li")
      .map((text) => text.replace(/[^a-z]/g, ""));
    expect(words).toHaveLength(7);
    await browser.press("I have the words");
    expect(browser.text).toContain("Enter words 2 and 6 from your own copy.");
    await browser
      .fill("Word 2", words[1] ?? "")
      .fill("Word 6", words[5] ?? "")
      .press("I have the words");
    expect(browser.text).toContain("Thank you for telling us");
    await browser.open("/mailbox");
    expect(browser.valueOf("Your seven words")).toBe("");
    const own = heed.visitor();
    await own.post("/api/mailbox/session", { words: words.join(" ") });
    const { body, text } = await own.get("/api/mailbox");
    expect(body.mailbox.report.description).toBe(`${STORY} He did not speak.`);
    expect(text).not.toContain("LANTERN");
  });

  test("keeps its corrections if the hand-over has ended before they are sent", async () => {
    const responder = await newResponder();
    const browser = await open(responder, `/e/${event.slug}/take`);
    await writeDown(browser);
    browser.fill("What happened", `${STORY} In the dark.`).fill("Short title", "Followed to the tram");
    for (const name of browser.cookies.keys()) if (name.includes("handed-over")) browser.cookies.delete(name);
    await browser.press("Yes, this is right");
    expect(browser.heading).toBe("Sign in");
    const next = new URL(browser.path, heed.url).searchParams.get("next") ?? "";
    browser.useCookie((await world.signIn(responder)).cookie ?? "");
    await browser.open(next);
    expect(browser.text).toContain("Not confirmed by the person");
    await browser.press("Read it back to the person");
    expect(browser.valueOf("What happened")).toBe(`${STORY} In the dark.`);
    expect(browser.valueOf("Short title")).toBe("Followed to the tram");
  });
});

describe("notifications", () => {
  async function createNotified(kinds: string[]) {
    const place = await world.newEvent(organization, "Riverside Summer Gathering");
    await world.grant(maya, place, "Reporter");
    const report = await world.report(maya, place, { title: "A title that the team is shown" });
    const person = await world.person("Ylva Berg", { events: [[place, "Responder"]] });
    await heed.sql(
      `insert into notifications (user_id, kind, organization_id, event_id, incident_id, deduplication_id, created_at)
       select $1, kind, $3, $4, $5, gen_random_uuid()::text, now() - nr * interval '1 minute'
       from unnest($2::text[]) with ordinality as k(kind, nr)`,
      [person.id, kinds, organization.id, place.id, report.id],
    );
    return { person, place, report };
  }

  test("lead to their subject, and stay unread until a button is pressed", async () => {
    const { person, place, report } = await createNotified(["incident.assigned"]);
    const browser = await open(person, "/notifications");
    await browser.follow(/^A report was assigned to you/);
    expect(browser.path).toBe(pageOf(report, place));
    expect(browser.links().join()).toMatch(/Notifications, [1-9] unread/);
  });

  test("are paged, and the filter stays", async () => {
    const kinds = [...Array.from({ length: 20 }, () => "file.added"), "incident.escalated"];
    const { person } = await createNotified(kinds);
    const browser = await open(person, "/notifications?unread=true");
    expect(browser.text).not.toContain("A report has waited too long for a first response");
    await browser.follow("Page 2");
    expect(browser.path).toContain("unread=true&page=2");
    expect(browser.text).toContain("A report has waited too long for a first response");
  });

  test("of people who only report have the settings of reporters", async () => {
    const browser = await open(world.rita, "/notifications/settings");
    expect(browser.texts("legend")).toEqual(
      expect.arrayContaining(["Status changes of your reports", "New messages", "Role changes"]),
    );
    expect(browser.text).not.toContain("New team notes");
  });
});

describe("an event", () => {
  test("is created with the city of its clock, after one that doesn't exist", async () => {
    const name = `Mill Days ${generateUniqueWord()}`;
    const browser = await open(olga, `/orgs/${organization.slug}/events/new`);
    browser.fill("Event name", name).fill("First day", "2026-03-29").fill("Last day", "2026-03-30");
    await browser.fill("Time zone", "Atlantis").press("Open for reports");
    expect(browser.describe("Time zone")).toContain("must be a time zone, such as Europe/Berlin");
    expect(browser.valueOf("Time zone")).toBe("Atlantis");
    await browser.fill("Time zone", "new york").press("Open for reports");
    const { body } = await world.as(olga).get(`/api/events/slug/${name.toLowerCase().replaceAll(" ", "-")}`);
    expect(body.event).toMatchObject({
      timeZone: "America/New_York",
      startDate: "2026-03-29T04:00:00.000Z",
      endDate: "2026-03-31T03:59:00.000Z",
    });
  });

  describe("of its own", () => {
    let place: EventRef;
    let admin: TestPerson;
    beforeAll(async () => {
      place = await world.newEvent(organization, "Harbor Talks");
      admin = await world.person("Lena Lake", { events: [[place, "Admin"]] });
      await world.person("Rosa Responder", { events: [[place, "Responder"]] });
    });

    test("keeps a time of day that a program gave, and refuses a first day after the last", async () => {
      const api = `/api/events/slug/${place.slug}`;
      const startDate = "2026-05-01T13:30:00.000Z";
      await world.as(admin).patch(api, { timeZone: "America/New_York", startDate });
      const browser = await open(admin, `/e/${place.slug}/settings`);
      const settings = () => browser.form("Event");
      const saved = async () => (await world.as(admin).get(api)).body.event;
      await settings().fill("Last day", "2026-05-02").press("Save");
      expect(browser.text).toContain("The event has been saved.");
      expect(await saved()).toMatchObject({ startDate, endDate: "2026-05-03T03:59:00.000Z" });
      await settings().fill("First day", "2026-05-03").press("Save");
      expect(settings().describe("First day")).toBe("The first day must not be after the last day.");
      await settings().fill("First day", "2026-04-30").press("Save");
      expect((await saved()).startDate).toBe("2026-04-30T04:00:00.000Z");
    });

    test("hands over what somebody who leaves has, removes them, and gives roles", async () => {
      const [leaving, taking] = [
        await world.person("Leo Leaving", { events: [[place, "Responder"]] }),
        await world.person("Tara Taking", { events: [[place, "Responder"]] }),
      ];
      const reports = [];
      for (const title of ["Argument at the boat house", "Shove on the landing stage"])
        reports.push(await world.report(leaving, place, { title }));
      for (const report of reports)
        await world.move(report, "investigating", { assignedToUserId: leaving.id });
      const browser = await open(admin, `/e/${place.slug}/team`);
      expect(browser.part("tr", "Leo Leaving").text).toContain("2, oldest");
      await browser.follow(/^Leo Leaving/);
      const handover = browser.form("Hand over");
      handover.check("Shove on the landing stage", false).select("Hand over to", "Tara Taking");
      await handover.press("Hand over");
      expect(browser.text).toContain("1 incident was handed over.");
      const assigneeOf = async (report: ReportRecord | undefined) =>
        (await world.as(admin).get(`/api/events/${place.id}/incidents/${report?.id}`)).body.incident
          .assignedResponderId;
      expect([await assigneeOf(reports[0]), await assigneeOf(reports[1])]).toEqual([taking.id, leaving.id]);
      expect(browser.text).toContain("1 open incident is still assigned to this person");
      await browser.press("Remove from event");
      expect(browser.path).toBe(`/e/${place.slug}/team`);
      expect(browser.text).not.toContain("Leo Leaving");
      await browser.open(`/e/${place.slug}/team/${taking.id}`);
      const roles = () => browser.form("Roles in this event");
      await roles().check("Responder", false).press("Save roles");
      expect(browser.alert).toContain("Select at least one role");
      await roles().check("Attendee").press("Save roles");
      const { body } = await world.as(taking).get(`/api/events/slug/${place.slug}/my-roles`);
      expect(body.roles).toEqual(["Reporter"]);
      await world.revoke(taking, place);
    });

    test("lists its response team first, and attendees on separate pages, for the team only", async () => {
      await heed.sql(
        `with people as (insert into users (email, name, password_hash)
         select gen_random_uuid() || '@example.org', 'Attendee ' || to_char(n, 'FM00'), 'x' from generate_series(1, 25) n returning id)
         insert into event_roles (event_id, user_id, role_name) select $1, id, 'Reporter' from people`,
        [place.id],
      );
      const browser = await open(admin, `/e/${place.slug}/team`);
      expect(browser.text).toContain("2 people on the response team");
      expect(browser.text).toContain("25 attendees");
      const attendees = () => browser.text.match(/Attendee \d\d/g) ?? [];
      expect(new Set(attendees()).size).toBe(20);
      await browser.follow("Page 2");
      expect([...new Set(attendees())]).toEqual([21, 22, 23, 24, 25].map((n) => `Attendee ${n}`));
      expect(browser.text).toContain("Rosa Responder");
      await browser.fill("Name or email", "Attendee 07").press("Apply");
      expect([...new Set(attendees())]).toEqual(["Attendee 07"]);

      const reader = await world.person("Rita Reader", { events: [[place, "Reporter"]] });
      await browser.open("/");
      for (const path of [`/e/${place.slug}/team`, `/e/${place.slug}/team?role=Reporter`]) {
        const ofReader = await open(reader, path);
        expect(ofReader.text).toContain("Rita Reader");
        expect(ofReader.text).not.toMatch(/Attendee \d\d/);
      }
      expect((await open(world.nora, `/e/${place.slug}/invites/poster`)).status).toBe(403);
    });
  });
});

describe("an organization", () => {
  test("invites people, gives an invite a note, disables it, and changes its details", async () => {
    const place = await world.newOrganization("No Script House");
    const admin = await world.person("Alma Berg", { organization: [place, "org_admin"] });
    const at = `/orgs/${place.slug}`;
    const browser = await open(admin, `${at}/invites`);
    await browser.form("New invite").fill("How many people can use it", "3").press("Create invite");
    expect(browser.text).toContain("3 uses left");
    await browser.form("Edit note").fill("Note", "For the treasurer").press("Save note");
    await browser.open(`${at}/invites`);
    expect(browser.text).toContain("For the treasurer");
    await browser.press(/Disable the invite/);
    expect(browser.text).toContain("No active invites");
    await browser.open(`${at}/settings`);
    await browser.form("Details").fill("Website", "not a website").press("Save details");
    expect([browser.isInvalid("Website"), browser.valueOf("Website")]).toEqual([true, "not a website"]);
    await browser.fill("Website", "https://lantern.example.org").press("Save details");
    await browser.open(at);
    expect(browser.links()).toContain("lantern.example.org");
  });

  test("has insights that say so without reports, and lead a team to those of its event alone", async () => {
    const house = await world.newOrganization("Counting House");
    const [place, other] = [
      await world.newEvent(house, "Counted Days"),
      await world.newEvent(house, "Other Days"),
    ];
    const both = await world.person("Theo Team", {
      organization: [house, "org_viewer"],
      events: [[place, "Responder"]],
    });
    const browser = await open(both, `/orgs/${house.slug}/insights`);
    expect(browser.text).toContain("No reports in this period");
    await browser.follow("Show all time");
    expect(browser.text).toContain("No reports yet");
    for (const [at, title] of [
      [place, "Zqtitle of the counted days"],
      [other, "Zqtitle of the other days"],
    ] as const)
      await heed.sql(
        `insert into incidents (event_id, title, description, reporter_id, severity, created_at)
         values ($1, $2, 'zqdescription', $3, 'high', now() - interval '2 days')`,
        [at.id, title, maya.id],
      );
    await browser.open(`/orgs/${house.slug}/insights`);
    expect(browser.text).toContain("Zqtitle of the counted days");
    expect(browser.text).not.toContain("Zqtitle of the other days");
    expect(browser.text).toContain("Only the event’s team can open it");
  });
});

test("the team sees title and severity in its notifications; a reporter sees neither", async () => {
  const report = await world.report(maya, event, {
    title: "The lamp fell on somebody",
    severity: "critical",
  });
  await world.as(omar).post(`${apiOf(report)}/comments`, { body: "On our way.", visibility: "public" });
  const notified = (person: TestPerson, kind: string) =>
    heed.rows("notifications", "user_id = $1 and incident_id = $2 and kind = $3", [
      person.id,
      report.id,
      kind,
    ]);
  await expect.poll(() => notified(omar, "incident.urgent")).toBe(1);
  await expect.poll(() => notified(maya, "message.created")).toBe(1);
  const ofOmar = await open(omar, "/notifications");
  expect(ofOmar.text).toContain("Urgent: someone is in danger now");
  expect(ofOmar.text).toContain("The lamp fell on somebody");
  const ofMaya = await open(maya, "/notifications");
  expect(ofMaya.text).toContain("There’s a new message");
  expect(ofMaya.text).not.toContain("The lamp fell on somebody");
});

test("whoever signs in on the way to a page comes there", async () => {
  const browser = new PlainBrowser(heed.url);
  await browser.open("/inbox");
  await signIn(browser, omar);
  expect(browser.path).toBe("/inbox");
});
