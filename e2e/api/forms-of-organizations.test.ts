import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { PlainBrowser } from "#e2e/support/plain-browser.ts";
import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitForMails } from "#e2e/support/outbox.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";
import { VERSION } from "#lib/version.ts";

/** The pages of those who run an organization or the installation, and what an account chooses, without script. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, nora, olga, omar, organization, sam } = world;

/** A browser in which somebody has opened a page. */
async function open(person: TestPerson | null, path: string, language?: string): Promise<PlainBrowser> {
  const browser = new PlainBrowser(heed.url, person ? world.as(person).cookie : undefined, language);
  await browser.open(path);
  return browser;
}

/** An organization of its own, so that no other test changes what is counted here. */
async function house(name: string) {
  const place = await world.newOrganization(name);
  const admin = await world.person("Alma Berg", { organization: [place, "org_admin"] });
  const viewer = await world.person("Vera Lund", { organization: [place, "org_viewer"] });
  return { place, admin, viewer, at: `/orgs/${place.slug}` };
}

describe("an organization", () => {
  test("shows its admin what comes next, from the first event on", async () => {
    const { place, admin, at } = await house("Lantern Society");
    const browser = await open(admin, at);
    expect(browser.text).toContain("No events yet");
    expect(browser.has("link", /Invite a second admin/)).toBe(true);
    await browser.follow("Create the first event");
    const night = `Lantern Night ${generateUniqueWord()}`;
    browser.fill("Event name", night).fill("First day", "2026-05-02").fill("Last day", "2026-05-01");
    await browser.press("Open for reports");
    expect(browser.describe("Last day")).toContain("The last day must not be before the first day.");
    await browser.fill("Last day", "2026-05-03").press("Open for reports");
    expect(browser.heading).toBe(`${night} is open for reports`);
    expect(browser.text).toContain(admin.name);

    const breakfast = await world.newEvent(place, "Lantern Breakfast");
    await world.grant(maya, breakfast, "Reporter");
    await world.report(maya, breakfast);
    await browser.open(at);
    expect(browser.text).toContain("No one reads the reports for Lantern Breakfast");
    const team = `/e/${night.toLowerCase().replaceAll(" ", "-")}/team`;
    expect(browser.hrefOf(`Invite the team for ${night}`)).toBe(team);
    expect(browser.text).toContain("1 report needs a first response");
    expect(browser.part("tr", "Lantern Breakfast").texts("td")).toEqual([
      "No dates",
      "Active",
      "1",
      "1",
      "1",
      "0",
    ]);
  });

  test("opens an event: bad input loses nothing, and a form that is sent twice creates it once", async () => {
    const { place, admin, at } = await house("Twice Sent");
    const night = `Twice Night ${generateUniqueWord()}`;
    const known = await world.person("Known Elsewhere", { events: [[event, "Reporter"]] });
    const unknown = `${generateUniqueWord()}@example.org`;
    const browser = await open(admin, `${at}/events/new`);
    browser.fill("Event name", night).fill("Your team", `${known.email}, maya at example`);
    expect(browser.valueOf("Contact email")).toBe(admin.email);
    await browser.press("Open for reports");
    expect(browser.describe("Your team")).toContain("“maya at example”, which isn’t an email address");
    expect(browser.valueOf("Event name")).toBe(night);
    const again = await open(admin, `${at}/events/new`);
    again.fill("Event name", night);
    for (const one of [browser, again])
      one.fill("Your team", `${known.email}\n${unknown}`).select("Code of conduct", /^Berlin/);
    again.replaceHidden("ticket", /name="ticket" value="([^"]+)"/.exec(browser.html)?.[1] ?? "");
    await browser.press("Open for reports");
    expect(browser.heading).toBe(`${night} is open for reports`);
    expect(browser.text).toContain("2 people have an invite");
    expect(browser.text).not.toContain(known.name);
    await again.press("Open for reports");
    expect(again.path).toBe(browser.path);
    expect(await heed.rows("events", "organization_id = $1", [place.id])).toBe(1);
    expect(await heed.rows("invites", "organization_id = $1", [place.id])).toBe(2);
    const slug = new URL(again.path, heed.url).searchParams.get("created") ?? "";
    await browser.open(`/e/${slug}`);
    expect(browser.text).toContain("Berlin Code of Conduct");
    await again.open(`${at}/events/new`);
    await again.fill("Event name", night).press("Open for reports");
    expect(again.path).toContain(`${slug}-2`);
  });

  test("copies an event: its team comes along, and nothing of its reports", async () => {
    const { place, admin, at } = await house("Yearly Fair");
    const fair = await world.newEvent(place, `Fair ${generateUniqueWord()}`);
    await world.grant(admin, fair, "Admin");
    const helper = await world.person("Hanna Helper", { events: [[fair, "Responder"]] });
    await world.grant(maya, fair, "Reporter");
    const report = await world.report(maya, fair);
    await world.as(admin).patch(`/api/events/slug/${fair.slug}`, { codeOfConduct: "Be kind at the fair." });
    const browser = await open(admin, `${at}/events/new`);
    await browser.follow(fair.name);
    expect(browser.text).toContain("The other person on its team gets the same role here at once.");
    const next = `Next Fair ${generateUniqueWord()}`;
    await browser.fill("Event name", next).press("Open for reports");
    expect(browser.heading).toBe(`${next} is open for reports`);
    expect(browser.text).toContain(helper.name);
    expect(browser.text).not.toContain(maya.name);
    const slug = new URL(browser.path, heed.url).searchParams.get("created") ?? "";
    const { body } = await world.as(helper).get(`/api/events/slug/${slug}/incidents`);
    expect(body.incidents).toEqual([]);
    await browser.open(`/e/${slug}`);
    expect(browser.text).toContain("Be kind at the fair.");
    expect(browser.html).not.toContain(report.id);
    // An org_admin who isn't on its team isn't offered it, and can't copy it.
    const other = await world.person("Otto Other", { organization: [place, "org_admin"] });
    const elsewhere = await open(other, `${at}/events/new`);
    expect(elsewhere.text).not.toContain("Copy an earlier event");
    const copied = { name: "Copied", copyFromEventId: fair.id };
    const refused = await world.as(other).post(`/api/organizations/${place.id}/events/setup`, copied);
    const unknown = { ...copied, copyFromEventId: randomUUID() };
    const none = await world.as(other).post(`/api/organizations/${place.id}/events/setup`, unknown);
    expect([refused.status, refused.body.details]).toEqual([400, none.body.details]);
  });

  test("has events that are searched, sorted and paged", async () => {
    const { place, viewer, at } = await house("Many Events");
    for (let n = 10; n < 32; n += 1) await world.newEvent(place, `Gathering ${n}`);
    const browser = await open(viewer, `${at}/events`);
    const names = () => browser.texts("th").filter((text) => text.startsWith("Gathering"));
    await browser.part("thead", "Event").follow(/^Event/);
    expect(browser.path).toContain("sort=name&order=asc");
    expect(browser.html).toContain('aria-sort="ascending"');
    expect(names()[0]).toBe("Gathering 10");
    await browser.follow("Page 2");
    expect(names()).toEqual(["Gathering 30", "Gathering 31"]);
    await browser.open(`${at}/events?sort=name&order=asc&search=gathering+2`);
    expect(names()).toHaveLength(10);
    await browser.follow("Remove filter Search: gathering 2");
    expect(names()).toHaveLength(20);
    expect(browser.path).toContain("sort=name");
  });

  test("keeps its last admin, and says how to change that and who hasn’t accepted yet", async () => {
    const { place, admin, viewer, at } = await house("Two Members");
    const body = { userId: nora.id, role: "org_viewer" };
    await heed.sql(
      "insert into organization_members (organization_id, user_id, role) values ($1, $2, 'org_viewer')",
      [(await world.newOrganization()).id, nora.id],
    );
    expect((await world.as(admin).post(`/api/organizations/${place.id}/members`, body)).status).toBe(201);
    const browser = await open(admin, `${at}/members`);
    const waiting = browser.part("li", nora.name).text;
    expect(waiting).toMatch(/This person hasn’t accepted yet/);
    expect(waiting).not.toContain("Joined");
    expect(browser.text).toContain("This is the only admin. Make someone else an admin");
    expect(browser.has("button", /Leave/)).toBe(false);
    await browser
      .form(new RegExp(`^Role of ${viewer.name}`))
      .select("Role", /admin/i)
      .press("Save");
    expect(browser.text).toContain("The member’s role has been changed.");
    await browser.press("Leave organization");
    expect(browser.text).toContain("You’ve left the organization.");
    await heed.sql("delete from organization_members where user_id = $1", [nora.id]);
  });

  test("shows a viewer pages and numbers, none of what admins do, and nobody else anything", async () => {
    const { place, admin, viewer, at } = await house("Hidden Harbour House");
    await world.newEvent(place, "Quiet Evening");
    const browser = await open(viewer, at);
    const pages = browser.part("nav", "People").links();
    expect(pages).toEqual(["Overview", "Events", "Numbers", "People", "Settings"]);
    expect(browser.has("link", "New event")).toBe(false);
    expect(browser.text).not.toContain("Next steps");
    await browser.open(`${at}/members`);
    expect(browser.has("button", /Save|Remove|Leave|Create/)).toBe(false);
    expect(browser.has("link", "Invite people")).toBe(false);
    await browser.open(at);
    await browser.follow("Settings");
    expect(browser.path).toBe(`${at}/retention`);
    expect(browser.part("nav", "Deletion").links()).toEqual(["Deletion"]);
    expect(browser.has("button", "Preview")).toBe(false);
    const ofAdmins = ["/webhooks", "/tokens", "/audit", "/settings", "/events/new"];
    for (const path of ofAdmins) {
      await browser.open(at + path);
      expect([path, browser.status, browser.heading]).toEqual([
        path,
        403,
        "You don’t have access to this page",
      ]);
    }
    for (const person of [world.bruno, omar])
      for (const path of ["", "/events", "/members", "/insights", ...ofAdmins]) {
        const stranger = await open(person, at + path);
        expect([path, stranger.status]).toEqual([path, 403]);
        expect(stranger.html.includes("Hidden Harbour") || stranger.html.includes(admin.email)).toBe(false);
      }
  });

  test("has its settings on five pages, and invites beside its members", async () => {
    const { admin, at } = await house("Five Tabs House");
    const browser = await open(admin, at);
    await browser.follow("Settings");
    for (const page of ["General", "Deletion", "Webhooks", "Service tokens", "Audit"]) {
      await browser.part("nav", "Deletion").follow(page);
      expect(browser.part("nav", "Deletion").links()).toHaveLength(5);
      expect(browser.part("nav", "People").links()).toHaveLength(5);
    }
    await browser.open(`${at}/invites`);
    expect(browser.path).toMatch(new RegExp(`^${at}/members`));
    await browser.form("New invite").fill("Note", "For the treasurer").press("Create invite");
    expect(browser.text).toContain("For the treasurer");
    await browser.press(/^Disable/);
    expect(browser.text).toContain("no longer lets anyone in");
  });

  test("has webhooks that are absent for others, also by their address", async () => {
    const [own, other] = [await house("Hooked House"), await house("Another House")];
    const hook = { url: "https://hooks.nowhere.invalid/heed", kinds: ["incident.created"] };
    const { webhook } = (await world.as(own.admin).post(`/api/organizations/${own.place.id}/webhooks`, hook))
      .body;
    for (const [person, house, status] of [
      [own.admin, own, 200],
      [other.admin, own, 403],
      [other.admin, other, 404],
      [own.viewer, own, 403],
    ] as const) {
      const browser = await open(person, `${house.at}/webhooks/${webhook.id}`);
      expect([person.name, house.at, browser.status]).toEqual([person.name, house.at, status]);
      expect(browser.html.includes("nowhere.invalid")).toBe(status === 200);
    }
  });

  test("turns the conflict check on and off, and writes its own messages, from which a team's start", async () => {
    const { place, admin, at } = await house("Own Words House");
    const browser = await open(admin, `${at}/settings`);
    await browser.press("Turn on the conflict check");
    expect(browser.has("button", "Turn it off")).toBe(true);
    await browser.press("Turn it off");
    expect(browser.has("button", "Turn on the conflict check")).toBe(true);
    const own = "Thanks. We have [what we did].";
    browser
      .form("Outcome messages")
      .part("details", /^English/)
      .fill("When a report is closed", own);
    await browser.press("Save messages");
    expect(browser.text).toContain("The messages have been saved.");
    const place2 = await world.newEvent(place, "Own Words Evening");
    const responder = await world.person("Rea Responder", { events: [[place2, "Responder"]] });
    await world.grant(maya, place2, "Reporter");
    const report = await world.report(maya, place2);
    const incident = await open(responder, `/e/${place2.slug}/i/${report.id}`);
    await incident.follow("Close…");
    expect(incident.part("form", "Close incident").valueOf("Message to the reporter")).toBe(own);
  });
});

describe("insights", () => {
  /** Twelve reports: seven of the last month, five of the month before. */
  async function countedHouse() {
    const { place, viewer, at } = await house("Counting House");
    const [counted, other] = [
      await world.newEvent(place, "Counted Days"),
      await world.newEvent(place, "Other Days"),
    ];
    for (const [n, days] of [1, 2, 3, 4, 5, 6, 7, 40, 41, 42, 43, 44].entries())
      await heed.sql(
        `insert into incidents (event_id, title, description, reporter_id, state, severity, created_at, first_response_at)
         select $1, 'Zqtitle number ' || $4::int, 'zqdescription', $2, case when $5 then 'acknowledged' else 'submitted' end::incident_state,
           'high', at, case when $5 then at + interval '2 hours' end
         from (select now() - $3 * interval '1 day' as at) made`,
        [n === 0 ? other.id : counted.id, maya.id, days, n, n % 2 === 1],
      );
    return { viewer, at: `${at}/insights` };
  }

  test("lead from a period to its parts, and show no title", async () => {
    const { viewer, at } = await countedHouse();
    const browser = await open(viewer, at);
    const tile = (name: string) => browser.texts("li").find((text) => text.startsWith(name)) ?? "";
    expect(tile("Reports")).toMatch(/^Reports\s*7/);
    expect(tile("Needs first response")).toMatch(/^Needs first response\s*4/);
    expect(browser.text).toContain("Too few reports");
    await browser.follow("Compare with the previous period");
    expect(tile("Reports")).toContain("Up from 5");
    expect(tile("Needs first response")).not.toMatch(/ from |As before/);
    await browser.follow("90 days");
    expect(tile("Reports")).toMatch(/^Reports\s*12/);
    await browser.select("Event", "Other Days").press("Apply");
    expect(browser.path).toMatch(/timeRange=90d.*eventId=|eventId=.*timeRange=90d/);
    expect(tile("Reports")).toMatch(/^Reports\s*1\b/);
    await browser.follow(/Remove filter Event: Other Days/);
    await browser.follow("By status");
    expect(browser.path).toContain("stack=status");
    expect(browser.texts("th")).toContain("Acknowledged");
    expect(browser.html).not.toMatch(/Zqtitle|Maya.Castillo/i);
  });
});

describe("an audit log", () => {
  test("is filtered by what was done and by whom, and checked", async () => {
    const place = await world.newEvent(organization, "Audited Days");
    const admin = await world.person("Lena Lake", { events: [[place, "Admin"]] });
    const path = `/api/events/slug/${place.slug}/invites`;
    const { code } = (await world.as(admin).post(path, { role: "Reporter" })).body.invite;
    await world.as(await world.person("Ivo Invited")).post(`/api/invites/${code}/redeem`);
    const browser = await open(admin, `/e/${place.slug}/audit`);
    await browser.select("Action", "Invites: all actions").press("Apply filters");
    const rows = () => browser.texts("tr").slice(1).join("\n");
    expect(rows()).toContain("Created an invite");
    expect(rows()).toMatch(/Ivo Invited.*Joined with an invite|Joined with an invite.*Ivo Invited/);
    expect(rows()).not.toContain("Viewed the audit log");
    await browser.follow("Show only entries by Ivo Invited");
    expect(browser.has("link", "Remove filter Person: Ivo Invited")).toBe(true);
    expect(rows()).not.toContain("Created an invite");
    expect(rows()).toContain("invite.use");
    expect(browser.has("link", /^Download as CSV/)).toBe(true);
    await browser.open(`/e/${place.slug}/audit?to=2020-01-01`);
    expect(browser.text).toContain("No matching entries");
  });
});

describe("a page that can't be shown", () => {
  const NOT_YOURS = "You don’t have access to this page";

  test.each([
    ["/e/an-event-of-nobody", 404, "Page not found"],
    ["/invite/a-code-of-nobody", 404, "There’s no invite at this address"],
    ["/nowhere/at-all", 404, "Page not found"],
    ["/styleguide?fail=1", 500, "This page can’t be shown right now"],
  ])("says so to a visitor, with the status that belongs to it: %s", async (path, status, heading) => {
    const browser = await open(null, path);
    expect([browser.status, browser.heading]).toEqual([status, heading]);
    expect(browser.has("link", "Go to the home page")).toBe(true);
    expect(browser.has("button", "Sign in with another account")).toBe(false);
    if (status === 500) expect(browser.hrefOf("Try again")).toBe(path);
  });

  test("is of others, and leads to another account", async () => {
    const title = "Only for the eyes of the team";
    const report = await world.report(maya, event, { title });
    const missing = await open(omar, `/e/${event.slug}/i/00000000-0000-4000-8000-000000000000`);
    expect([missing.status, missing.heading]).toEqual([404, "Page not found"]);
    const ofInes = await open(world.ines, `/e/${event.slug}/i/${report.id}`);
    expect([ofInes.status, ofInes.heading, ofInes.html.includes(title)]).toEqual([403, NOT_YOURS, false]);
    const settings = `/e/${event.slug}/settings`;
    const browser = await open(
      await world.person("Mia Visitor", { events: [[event, "Reporter"]] }),
      settings,
    );
    expect([browser.status, browser.heading]).toEqual([403, NOT_YOURS]);
    await browser.press("Sign in with another account");
    expect([browser.path, browser.heading]).toEqual([
      `/login?next=${encodeURIComponent(settings)}`,
      "Sign in",
    ]);
  });
});

describe("the installation", () => {
  test("shows its health, checks its log, and sends a test mail", async () => {
    const browser = await open(sam, "/system");
    for (const said of ["not everything is set up", `Version ${VERSION} on Node`, "PostgreSQL"])
      expect(browser.text).toContain(said);
    expect(browser.part("li", /^Email/).text).toContain("Not set up");
    await browser.open("/system/audit?verify=1");
    expect(browser.text).toContain("The log is intact");
    await browser.open("/system/settings");
    await browser.press("Send test email");
    expect(browser.text).toMatch(/It took [\d,]+ ms\./);
    await browser.fill("Support contact", "call us maybe").press("Save settings");
    expect([browser.isInvalid("Support contact"), browser.valueOf("Support contact")]).toEqual([
      true,
      "call us maybe",
    ]);
  });

  test("finds an account, disables and enables it, and resets its second factor with a password", async () => {
    const person = await world.person("Quill Marrow");
    await insertSecondFactor(world, person);
    const browser = await open(sam, "/system/users");
    await browser.fill("Name or email", person.email).press("Search");
    await browser.follow(/^Quill Marrow/);
    expect(browser.text).toContain("No memberships yet.");
    await browser.press("Disable account");
    expect(browser.text).toContain("The account was changed.");
    expect((await world.as(person).get("/api/users/me")).status).toBe(401);
    await browser.press("Enable account");
    await browser.fill("Your password", "not the one at all").press("Reset two-factor sign-in");
    expect(browser.isInvalid("Your password")).toBe(true);
    await browser.fill("Your password", PASSWORD).press("Reset two-factor sign-in");
    expect(browser.text).toContain("Two-factor sign-in was reset.");
    expect(await heed.rows("second_factors", "user_id = $1", [person.id])).toBe(0);
  });

  test("is for its administrators alone, not even for an organization's admin", async () => {
    const pages = ["/system", "/system/users", "/system/events", "/system/settings", "/system/audit"];
    for (const path of [...pages, `/system/users/${maya.id}`]) {
      const browser = await open(olga, path);
      expect([path, browser.status]).toEqual([path, 403]);
      expect(browser.html.includes(maya.email)).toBe(false);
    }
  });
});

describe("who can report at an event", () => {
  async function openEvent(settings: object, changes: object = {}): Promise<EventRef> {
    const place = await world.newEvent(organization, "Harbor open day");
    await world.grant(ada, place, "Admin");
    await world.as(ada).patch(`/api/events/slug/${place.slug}/report-settings`, settings);
    await world.as(ada).patch(`/api/events/slug/${place.slug}`, changes);
    return place;
  }

  test("is chosen by an Admin, and others learn it", async () => {
    const place = await openEvent({ withoutAccount: false });
    const browser = await open(ada, `/e/${place.slug}/settings`);
    const settings = () => browser.form("Reporting");
    expect(settings().isChecked("Anyone with an account")).toBe(true);
    settings().check("Only people with an invite").check("Let search engines find this page", false);
    await settings().press("Save");
    const { body } = await world.nobody.get(`/api/events/${place.id}/report-settings`);
    expect(body.reportSettings).toMatchObject({ whoCanReport: "invite", searchEngines: false });
    const refused = await open(nora, `/e/${place.slug}/report`);
    expect(refused.heading).toBe("You’re not a member of this event yet");
  });

  test("is said at sign-in, once the event is over, and then whom to write to", async () => {
    const place = await openEvent(
      { withoutAccount: false },
      { isActive: false, contactEmail: "care@harbor.example.org" },
    );
    const login = await open(null, `/login?next=${encodeURIComponent(`/e/${place.slug}/report`)}`);
    expect(login.text).toMatch(/This event is over.*Only members of [^.]* can still report\./s);
    const browser = await open(nora, `/e/${place.slug}`);
    expect(browser.text).toContain("Only members can still report here.");
    await browser.follow("Report something that happened");
    expect(browser.heading).toBe("This event is over");
    expect(browser.has("link", "care@harbor.example.org")).toBe(true);
  });

  test.each([
    ["open", { withoutAccount: true }, {}, "If you have an account, sign in first"],
    [
      "by invite",
      { whoCanReport: "invite" },
      {},
      "To report with an account, you have to be a member of this event.",
    ],
    [
      "over",
      {},
      { isActive: false },
      "To report with an account, you now have to be a member of this event.",
    ],
  ])(
    "asks for an account on no page on the way, where it takes none: %s",
    async (_, settings, changes, rule) => {
      const place = await openEvent(settings, changes);
      const without = `/e/${place.slug}/report?without=account`;
      const browser = await open(null, `/e/${place.slug}`);
      expect(browser.text).toContain(rule);
      expect(browser.hrefOf("Report something that happened")).toBe(without);
      await browser.follow("Report with an account");
      for (const title of ["Sign in", "Create an account"]) {
        expect(browser.heading).toBe(title);
        expect(browser.text).toContain("You don’t need an account.");
        expect(browser.text).not.toMatch(
          /need an account to report\.|you need an invite|your session has ended/,
        );
        expect(browser.hrefOf("Report without an account")).toBe(without);
        expect(browser.html.indexOf("Report without an account")).toBeLessThan(browser.html.indexOf("<h1"));
        if (title === "Sign in") await browser.follow("Create an account");
      }
    },
  );

  test("is the team's to write down, whose pages lead there", async () => {
    const responder = await world.person("Responder of one event", { events: [[event, "Responder"]] });
    for (const path of ["/inbox", `/e/${event.slug}/incidents`, `/e/${event.slug}`]) {
      const browser = await open(responder, path);
      await browser.follow("Take a report");
      expect(browser.heading).toBe("Take a report");
    }
    expect((await open(maya, `/e/${event.slug}/take`)).status).toBe(403);
    const ofMaya = await open(maya, `/e/${event.slug}`);
    expect(ofMaya.has("link", "Report something that happened")).toBe(true);
    expect(ofMaya.text).not.toContain("Take a report");
    await world.revoke(responder, event);
  });
});

describe("an account", () => {
  test("is told in its reader's language what is wrong, at the field", async () => {
    const browser = await open(await world.person("Ida Holm"), "/account/security", "de-AT");
    await browser
      .fill("Aktuelles Passwort", "a loud river at noon")
      .fill("Neues Passwort", "kurz")
      .press("Passwort ändern");
    expect(browser.describe("Neues Passwort")).toMatch(
      /Das neue Passwort muss mindestens \d+ Zeichen lang sein\./,
    );
    expect(browser.describe("Aktuelles Passwort")).not.toContain("is not");
  });

  test("has its language on every device, and in its mails", async () => {
    const person = await world.person("Lina Mora");
    const browser = await open(person, "/account", "de-AT");
    await browser.select("Sprache", "Français").press("Sprache speichern");
    expect(/<html[^>]*>/.exec(browser.html)?.[0]).toContain('lang="fr"');
    const other = await world.device(person);
    const seen = await other.get("/account", { headers: { "accept-language": "en-GB" } });
    expect(/<html[^>]*>/.exec(seen.text)?.[0]).toContain('lang="fr"');
    await world.nobody.post("/api/auth/forgot-password", { email: person.email });
    const [mail] = await waitForMails(heed, person.email);
    expect(mail?.text).toContain('<html lang="fr" dir="ltr">');
    expect(mail?.text).toContain("ouvrez ce lien");
  });

  test("reads times by the clock of the event until it chooses its own", async () => {
    const place = await world.newEvent(organization, "Harbor Talks");
    const admin = await world.person("Lena Lake", { events: [[place, "Admin"]] });
    const clock = { timeZone: "America/New_York", startDate: "2026-05-01" };
    await world.as(admin).patch(`/api/events/slug/${place.slug}`, clock);
    await world.grant(maya, place, "Reporter");
    const { id } = await world.report(maya, place, { incidentAt: "2026-07-04T22:30:00.000Z" });
    const browser = await open(admin, `/e/${place.slug}/i/${id}`);
    expect(browser.text).toContain("4 Jul 2026, 18:30 EDT");
    await browser.open("/account");
    await browser.fill("Time zone", "tokyo").press("Save time zone");
    expect(browser.valueOf("Time zone")).toBe("Asia/Tokyo");
    await browser.open(`/e/${place.slug}/i/${id}`);
    expect(browser.text).toContain("5 Jul 2026, 07:30 GMT+9");
    // The days of the event stay its own.
    await browser.open(`/e/${place.slug}`);
    expect(browser.text).toContain("1 May 2026");
  });

  test("of the last admin isn't deleted, and says of which organization", async () => {
    const place = await world.newOrganization("Lonely Meetups");
    const person = await world.person("Eskil Dahl", { organization: [place, "org_admin"] });
    const browser = await open(person, "/account/data");
    expect(browser.hrefOf("Download your data")).toBe("/api/users/me/export");
    await browser.fill("Your password", PASSWORD).press("Delete for good");
    expect(browser.alert).toContain("organization admin of Lonely Meetups");
    expect(await heed.rows("users", "id = $1", [person.id])).toBe(1);
  });

  test("saves its notification settings per kind", async () => {
    const person = await world.person("Jon Aas", { events: [[event, "Responder"]] });
    const browser = await open(person, "/notifications/settings");
    const notes = () => browser.part("fieldset", "New team notes");
    notes().check("In the notification list", false).select("By email", "Once a day, at 08:00 UTC");
    await browser.press("Save each setting");
    expect(browser.text).toContain("Your settings have been saved.");
    await browser.open("/notifications/settings");
    expect([notes().isChecked("In the notification list"), notes().valueOf("By email")]).toEqual([
      false,
      "daily",
    ]);
    const { body } = await world.as(person).get("/api/users/me/notification-settings");
    expect(body.settings).toContainEqual({ kind: "note.created", inApp: false, mail: "daily" });
    expect(body.settings).toContainEqual({ kind: "incident.created", inApp: true, mail: "now" });
  });

  test("saves its notification settings by group, and keeps those of a group whose kinds differ", async () => {
    const person = await world.person("Ida Lund", { events: [[event, "Responder"]] });
    const load = async () => {
      const { body } = await world.as(person).get("/api/users/me/notification-settings");
      const settings = body.settings as { kind: string; inApp: boolean; mail: string }[];
      return new Map(settings.map(({ kind, inApp, mail }) => [kind, `${inApp} ${mail}`]));
    };
    const browser = await open(person, "/notifications/settings");
    const group = (name: string) => browser.part("fieldset", name);
    const choices = (name: string) => [
      group(name).valueOf("In the notification list"),
      group(name).valueOf("By email"),
    ];
    const groups = ["New and urgent", "Mine", "Everything else"];
    expect(groups.map(choices)).toEqual([
      ["on", "now"],
      ["on", "now"],
      ["on", "daily"],
    ]);
    group("Mine").select("In the notification list", "No").select("By email", "Once an hour");
    await browser.press("Save settings");
    expect(browser.text).toContain("Your settings have been saved.");
    const chosen = await load();
    expect([chosen.get("note.created"), chosen.get("incident.assigned")]).toEqual([
      "false hourly",
      "false hourly",
    ]);
    expect([chosen.get("incident.urgent"), chosen.get("role.changed")]).toEqual(["true now", "true daily"]);

    await browser.open("/notifications/settings");
    browser.part("fieldset", "New files").select("By email", "No email");
    await browser.press("Save each setting");
    await browser.open("/notifications/settings");
    expect(choices("Mine")).toEqual(["off", ""]);
    expect(group("Mine").text).toContain("Varies");
    group("New and urgent").select("By email", "Once an hour");
    await browser.press("Save settings");
    const kept = await load();
    expect([kept.get("file.added"), kept.get("note.created"), kept.get("incident.created")]).toEqual([
      "false off",
      "false hourly",
      "true hourly",
    ]);
  });
});
