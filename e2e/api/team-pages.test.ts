import { beforeAll, describe, expect, test } from "vitest";
import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import { shareService } from "#e2e/support/service.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** What the pages of those who handle reports say, as the service renders them. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, sam } = world;

/** Marks around names, which may be written in another direction. */
const ISOLATES = /[\u2066-\u2069]/g;

/** A page as its reader gets it: the status, the HTML of its main part, and the text of all of it. */
async function readPage(person: TestPerson | null, address: string) {
  const headers = { cookie: person ? (world.as(person).cookie ?? "") : "" };
  const response = await fetch(heed.url + address, { headers, redirect: "manual" });
  const html = (await response.text()).replace(/<script[\s\S]*?<\/script>/g, "");
  const text = html
    .replace(/<[^>]+>|[\u2066-\u2069]/g, "")
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
  return {
    status: response.status,
    html,
    main: /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "",
    text,
    heading: /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1] ?? "",
  };
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe("filters of an address", () => {
  const LONG = "x".repeat(201);
  const LISTED = /<table|<a [^>]*href="[^"]*\/i\//;

  beforeAll(async () => void (await world.report(maya, event)));

  test.each([
    ["a team's inbox", omar, "/inbox"],
    ["a team's people", omar, `/e/${event.slug}/team`],
    ["a reporter's list", maya, "/inbox"],
    ["accounts", sam, "/system/users"],
  ])("a search that is too long shows nothing, and says so at its field: %s", async (_, person, at) => {
    const { status, main, text } = await readPage(person, `${at}?search=${LONG}&order=asc`);
    expect(status).toBe(400);
    expect(text).toContain("Search must be at most 200 characters.");
    const [field = ""] = main.match(/<input[^>]*type="search"[^>]*>/) ?? [];
    expect(field).toContain(`value="${LONG}"`);
    expect(field).toContain('aria-invalid="true"');
    expect(main).not.toMatch(LISTED);
    expect((await readPage(person, at)).main).toMatch(LISTED);
    // The next search goes with the other parameters.
    expect(main).toMatch(/<input[^>]*type="hidden"[^>]*name="order"[^>]*value="asc"/);
  });

  const insights = `/orgs/${organization.slug}/insights`;
  test.each([
    ["a team's inbox", omar, "/inbox", "status=bogus"],
    ["a team's people", omar, `/e/${event.slug}/team`, "role=bogus"],
    ["the audit log", ada, `/e/${event.slug}/audit`, "actor=bogus"],
    ["the event of insights", olga, insights, "eventId=xx"],
    ["accounts", sam, "/system/users", "sort=bogus"],
  ])(
    "an unknown value is named without it, and the list is shown without it: %s",
    async (_, person, at, unknown) => {
      const notice = "One filter in this address isn’t valid";
      const filtered = await readPage(person, `${at}?${unknown}`);
      expect(countOf(filtered.main, notice)).toBe(1);
      expect(filtered.text).toContain(`We ignored it: ${unknown.split("=")[0]}.`);
      const plain = await readPage(person, at);
      expect([plain.status, plain.heading !== "", countOf(plain.text, notice)]).toEqual([200, true, 0]);
    },
  );

  test("several unknown values are named together", async () => {
    const { text } = await readPage(omar, "/inbox?status=bogus&severity=high&due=none");
    expect(text).toContain("We ignored them: status & due.");
  });
});

test("no page of an event in New York says UTC to its Admin", async () => {
  const place = await world.newEvent(organization, "Harbor Talks");
  const admin = await world.person("Lena Lake", { events: [[place, "Admin"]] });
  await world
    .as(admin)
    .patch(`/api/events/slug/${place.slug}`, { timeZone: "America/New_York", startDate: "2026-05-01" });
  const reporter = await world.person("Maya Lund", { events: [[place, "Reporter"]] });
  const { id } = await world.report(reporter, place, { incidentAt: "2026-07-04T22:30:00.000Z" });
  const body = { role: "Reporter", expiresAt: "2099-01-01T12:00:00Z" };
  const { invite } = (await world.as(admin).post(`/api/events/slug/${place.slug}/invites`, body)).body;
  const poster = `/invites/${invite.id}/poster`;
  const paths = ["", "/report", "/incidents", `/i/${id}`, "/team", `/team/${admin.id}`, "/settings"];
  const invites = ["/invites/poster", poster, "/audit"];
  const own = ["/inbox", "/account", "/account/security", "/notifications", "/notifications/settings"];
  for (const path of [...[...paths, ...invites].map((rest) => `/e/${place.slug}${rest}`), ...own]) {
    const { status, html, text } = await readPage(admin, path);
    const titles = [...html.matchAll(/<time[^>]* title="([^"]*)"/g)].map(([, title]) => title);
    // A word, since sealed texts may hold any letters.
    expect([status, path, text, ...titles].join(" ")).not.toMatch(/\bUTC\b/);
    expect([path, status]).toEqual([path, 200]);
  }
  const { text } = await readPage(admin, `/e/${place.slug}${poster}`);
  expect(text).toContain("1 Jan 2099, 07:00 EST");
});

const SENDING_BUTTON = /<button(?![^>]*(?: type="button"| disabled=""))[^>]*>/;

/** The forms of a page: what each is sent to, what is in it, and whether it has a button that sends it. */
const formsIn = (html: string) => {
  // Without script nothing opens a dialog.
  const dialogs = (html.match(/<dialog[\s\S]*?<\/dialog>/g) ?? []).join("");
  return [...html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([form, attributes = "", inner = ""]) => {
    const read = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
    const buttonElsewhere = new RegExp(`<button(?![^>]* disabled="")[^>]* form="${read("id")}"`);
    return {
      name: read("aria-label") || inner.replace(/<[^>]+>/g, " ").slice(0, 60),
      method: read("method").toLowerCase(),
      // It stays for its result, after what sends it has gone.
      isHidden: /(?:^|\s)hidden\s/.test(read("class")),
      action: read("action"),
      inner,
      isInDialog: dialogs.includes(form),
      hasButton: SENDING_BUTTON.test(inner) || (read("id") !== "" && buttonElsewhere.test(html)),
    };
  });
};

/** The queries of the links that load the page with the form of a dialog in it. */
const dialogsIn = (html: string): string[] => [
  ...new Set([...html.matchAll(/ href="[^"]*(\?dialog=[^"#]*)/g)].map(([, query = ""]) => query)),
];

/** Without script a form is sent to its address, or to the server action that its hidden fields name. */
const canBeSent = ({
  method,
  isHidden,
  action,
  inner,
  ...form
}: ReturnType<typeof formsIn>[number]): boolean =>
  !action.startsWith("javascript:") &&
  !form.isInDialog &&
  (form.hasButton || isHidden || method !== "post") &&
  (action !== "" || inner.includes('name="$ACTION_') || (method === "get" && inner.includes("name=")));

describe("each form can be sent without script", () => {
  test("on the pages of an incident, an event, an organization, the system, an account and a visitor", async () => {
    const report = await world.report(maya, event);
    const visible = { visibility: "public", body: "Words of Omar." };
    const incidents = `/api/events/${event.id}/incidents`;
    await world.as(omar).post(`${incidents}/${report.id}/comments`, visible);
    await world.as(maya).put(`${incidents}/${report.id}/readers/${omar.id}`, { access: "none" });
    // Omar has something to hand over.
    const handled = await world.report(maya, event);
    await world.move(handled, "investigating", { assignedToUserId: omar.id });
    const held = await world.report(maya, event);
    await world.move(held, "closed", { assignedToUserId: ada.id });
    await world
      .as(omar)
      .put(`${incidents}/${held.id}/hold`, { reason: "Asked for.", reviewOn: "2090-01-31" });
    const naming = await world.report(maya, event, { parties: `${omar.name}, and somebody else` });
    const wanted = { name: "Script", scope: "read", currentPassword: PASSWORD };
    expect((await world.as(maya).post("/api/users/me/tokens", wanted)).status).toBe(201);
    const withFactor = await world.person("Two-Factor Person");
    await insertSecondFactor(world, withFactor);
    const unopened = await world.report(maya, event);
    await heed.sql("update incidents set conflict_check = true where id = $1", [unopened.id]);
    const hook = { url: "https://hooks.nowhere.invalid/heed", kinds: ["incident.created"] };
    const { webhook } = (await world.as(olga).post(`/api/organizations/${organization.id}/webhooks`, hook))
      .body;
    const [at, org] = [`/e/${event.slug}`, `/orgs/${organization.slug}`];
    const pages: [TestPerson | null, string[]][] = [
      [null, ["/", "/login", "/register", "/forgot-password", "/reset-password?token=made-up", at]],
      [ada, [`${at}/i/${report.id}`, `${at}/incidents`, `${at}/settings`]],
      [ada, [`${at}/team`, `${at}/team/${omar.id}`, `${at}/take`, `${at}/i/${report.id}/conversations`]],
      [ada, [`${at}/i/${held.id}`, `${at}/i/${naming.id}`]],
      [maya, [`${at}/i/${report.id}`, `${at}/report`, "/inbox"]],
      [maya, ["/account", "/account/security", "/account/tokens", "/account/data"]],
      [omar, ["/notifications", "/notifications/settings", "/inbox", `${at}/i/${unopened.id}`]],
      [olga, [`${org}/webhooks/${webhook.id}`, `${org}/events/new`]],
      [olga, ["/members", "/settings", "/webhooks", "/tokens", "/retention"].map((rest) => org + rest)],
      [sam, ["/system/users", `/system/users/${withFactor.id}`, "/system/settings", "/orgs/new"]],
    ];
    const broken: string[] = [];
    const sent: string[] = [];
    for (const [person, addresses] of pages)
      for (const address of addresses) {
        const { status, html } = await readPage(person, address);
        expect([address, status]).toEqual([address, 200]);
        const dialogs = await Promise.all(dialogsIn(html).map((to) => readPage(person, address + to)));
        const forms = [html, ...dialogs.map((dialog) => dialog.html)].flatMap(formsIn);
        sent.push(
          ...forms.filter(({ method }) => method === "post").map(({ inner }) => inner.replace(ISOLATES, "")),
        );
        broken.push(...forms.filter((form) => !canBeSent(form)).map(({ name }) => `${address}: ${name}`));
      }
    expect(broken).toEqual([]);
    expect(sent.length).toBeGreaterThan(60);
    // Forms that only some records have.
    for (const text of [
      "Why do you need to keep it?",
      "Release hold",
      "Reset two-factor sign-in",
      "Delete token",
      "Open without an answer",
      "Let in",
      "Hide it",
      "Step out",
      "Send test message",
      "Open for reports",
      "Send me a link",
      `Hide from ${omar.name}`,
    ])
      expect(
        sent.some((inner) => inner.includes(text)),
        text,
      ).toBe(true);
  });
});
