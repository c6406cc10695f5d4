import type { Page } from "@playwright/test";
import { type Places, SCREENS, type Screen } from "#e2e/screens/pages.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import {
  PASSWORD,
  type EventRef,
  type TestPerson,
  type PlaceRef,
  type TestWorld,
} from "#e2e/support/world.ts";
import {
  checkEach,
  expect,
  expectAccessibleInEachTheme,
  expectStructureAccessible,
  LAPTOP,
  signInWithContext,
  test,
} from "./support/test.ts";

/**
 * Every page with names as long as they may be and without a space to break at: none is wider than the screen, and axe
 * finds nothing.
 */

const NARROWEST = { width: 320, height: 640 };

const long = (letter: string, length: number) => letter.repeat(length);

type People = Record<Exclude<Screen["as"], null>, TestPerson>;

type LongPlaces = Places & { openIncident: string };

type LongWorld = { event: EventRef; organization: PlaceRef; people: People; places: LongPlaces };

async function inviteAll(world: TestWorld, event: EventRef, organization: PlaceRef): Promise<People> {
  const name = (letter: string) => long(letter, 120);
  return {
    sam: world.sam,
    olga: await world.person(name("o"), { organization: [organization, "org_admin"] }),
    viktor: await world.person(name("v"), { organization: [organization, "org_viewer"] }),
    ada: await world.person(name("a"), { events: [[event, "Admin"]] }),
    omar: await world.person(name("r"), { events: [[event, "Responder"]] }),
    maya: await world.person(name("m"), { events: [[event, "Reporter"]] }),
  };
}

const made = ({ status, body, text }: { status: number; body: any; text: string }) => {
  expect(status, text).toBeLessThan(300);
  return body;
};

/** Fills everything that people name, each to its limit. */
async function fill(world: TestWorld): Promise<LongWorld> {
  const organization = await world.newOrganization(long("z", 120));
  const event = await world.newEvent(organization, long("e", 120));
  const people = await inviteAll(world, event, organization);
  const { ada, maya, olga, omar } = people;
  const api = `/api/events/${event.id}`;
  made(
    await world.as(ada).patch(`/api/events/slug/${event.slug}`, {
      description: long("d", 300),
      codeOfConduct: `## ${long("c", 120)}\n\n${long("c", 300)}\n\n## Two\nb\n\n## ${long("h", 120)}\nc`,
      contactEmail: `${long("c", 60)}@${long("d", 60)}.example.org`,
      website: `https://example.org/${long("w", 300)}`,
    }),
  );
  made(
    await world.as(ada).patch(`${api}/report-settings`, {
      showTeam: true,
      emergencyContact: long("1", 200),
      answerWithinHours: 24,
    }),
  );
  const report = await rich(world, event, people);
  const invite = made(
    await world.as(ada).post(`${api}/invites`, { role: "Reporter", note: long("n", 120) }),
  ).invite;
  made(
    await world
      .as(olga)
      .post(`/api/organizations/${organization.id}/invites`, { role: "org_viewer", note: long("n", 120) }),
  );
  const webhook = made(
    await world.as(olga).post(`/api/organizations/${organization.id}/webhooks`, {
      url: `https://hooks.example.org/${long("u", 400)}`,
      kinds: ["incident.created"],
      description: long("w", 120),
    }),
  ).webhook;
  for (const person of [omar, ada])
    made(
      await world
        .as(person)
        .post("/api/users/me/saved-views", { name: long("s", 60), query: `search=${long("q", 180)}` }),
    );
  made(
    await world
      .as(omar)
      .post("/api/users/me/tokens", { name: long("t", 100), scope: "read", currentPassword: PASSWORD }),
  );
  await insertSecondFactor(world, omar);
  const intake = made(
    await world.as(omar).post(`/api/events/slug/${event.slug}/intakes`, {
      title: long("t", 70),
      description: long("d", 400),
      location: long("l", 300),
      parties: long("p", 300),
      observations: long("o", 300),
      witnessId: ada.id,
      channel: "in_person",
    }),
  ).incident;
  const path = `/e/${event.slug}/i/${report.id}`;
  const places = {
    openIncident: `/e/${event.slug}/i/${await openReports(world, event, people)}`,
    incident: path,
    ownIncident: path,
    intake: `/e/${event.slug}/take/${intake.id}`,
    userId: omar.id,
    inviteCode: invite.code,
    inviteId: invite.id,
    webhookId: webhook.id,
  };
  void maya;
  return { event, organization, people, places };
}

/** A report with files, talk and a decision. */
async function rich(world: TestWorld, event: EventRef, { ada, maya, omar }: People) {
  const at = `/api/events/${event.id}/incidents`;
  const fields = {
    title: long("t", 70),
    description: long("d", 400),
    type: long("k", 60),
    location: long("l", 300),
    parties: long("p", 300),
  };
  const file = { name: `${long("f", 116)}.txt`, bytes: "What I saw by the door." };
  const { incident } = made(await world.as(maya).post(at, buildForm(fields, file)));
  const report = `${at}/${incident.id}`;
  const move = { notes: long("x", 300), assignedToUserId: omar.id };
  made(await world.as(omar).patch(`${report}/state`, { state: "investigating", ...move }));
  made(await world.as(omar).post(`${report}/comments`, { body: long("i", 300), visibility: "internal" }));
  made(await world.as(omar).post(`${report}/comments`, { body: long("u", 300), visibility: "public" }));
  made(
    await world
      .as(ada)
      .post(
        `${report}/related-files`,
        buildForm({ description: long("y", 400) }, { ...file, name: `${long("g", 250)}.txt` }),
      ),
  );
  made(await world.as(omar).patch(`${report}/state`, { state: "resolved", ...move }));
  return incident;
}

/** Enough reports for the numbers of an organization to be shown. @returns the id of the one that is being worked on */
async function openReports(world: TestWorld, event: EventRef, { maya, omar }: People): Promise<string> {
  for (let n = 0; n < 6; n += 1) await world.report(maya, event, { severity: "high" });
  const report = await world.report(maya, event, { title: long("o", 70) });
  await world.move(report, "investigating", { assignedToUserId: omar.id });
  return report.id;
}

/** What makes the page wider than the window: the elements that reach furthest, innermost ones only. */
const beyond = (page: Page) =>
  page.evaluate(async () => {
    // The fonts of the system, with which a page begins, may be wider than its own.
    await document.fonts.ready;
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const ends = (element: Element) => {
      const { left, right } = element.getBoundingClientRect();
      return document.dir === "rtl" ? clientWidth - left : right;
    };
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => element.checkVisibility() && ends(element) >= scrollWidth - 24,
    );
    const innermost = wide.filter(
      (element) => !wide.some((other) => other !== element && element.contains(other)),
    );
    return [`${scrollWidth} px`, ...innermost.slice(0, 3).map(({ outerHTML }) => outerHTML.slice(0, 200))];
  });

/** Pages on which axe looks at each state in a journey of their own. */
const CHECKED_IN_JOURNEYS = new Set([
  "mailbox",
  "read-back",
  "report",
  "report-sent",
  "retention",
  "take-report",
  "webhook",
]);

/** Parts of a page that it doesn't have as it opens, or not for whoever opens it above. */
const STATES: (Omit<Screen, "page" | "path"> & { path: string | ((places: LongPlaces) => string) })[] = [
  { name: "open-incident", as: "ada", path: ({ openIncident }) => openIncident },
  { name: "access-log", as: "ada", path: ({ incident }) => `${incident}?kind=access` },
  // What the link of a mail leads to when its token is cut off, and what comes of it.
  ...["confirm-email", "verify-email"].flatMap((page) => [
    { name: `cut-off-${page}`, as: null, path: `/${page}` },
    { name: `done-${page}`, as: null, path: `/${page}?after=confirmed` },
  ]),
  { name: "invite-of-admin", as: "ada", path: ({ inviteCode }) => `/invite/${inviteCode}` },
  { name: "event-audit-checked", as: "ada", path: "/e/northlight-summit/audit?verify=1" },
  {
    name: "insights-compared",
    as: "olga",
    path: "/orgs/northlight/insights?compare=true&stack=status",
  },
  { name: "event-of-reporter", as: "maya", path: "/e/northlight-summit" },
  { name: "jump-to-people", as: "sam", path: "/jump?search=re" },
  { name: "security-on-the-way", as: "omar", path: "/account/security?next=%2Forgs" },
];

let filled: Promise<LongWorld> | undefined;

for (const [who, screens] of Map.groupBy([...SCREENS, ...STATES], ({ as }) => as))
  test(`pages that ${who ?? "a visitor"} sees fit every screen and are accessible with the longest names`, async ({
    page,
    context,
    world,
  }) => {
    const { event, organization, people, places } = await (filled ??= fill(world));
    if (who) await signInWithContext(context, world, people[who]);
    const addressOf = ({ path }: (typeof screens)[number]) =>
      (typeof path === "string" ? path : path(places))
        .replace("/e/northlight-summit", `/e/${event.slug}`)
        .replace("/orgs/northlight", `/orgs/${organization.slug}`);
    const sizes = [LAPTOP, NARROWEST];
    const byName = new Map(screens.map((screen) => [screen.name, screen]));
    await checkEach([...byName.keys()], async (name) => {
      const response = await page.goto(addressOf(byName.get(name)!));
      expect(response?.status()).toBe(name === "missing" ? 404 : 200);
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      for (const size of sizes) {
        await page.setViewportSize(size);
        expect(await beyond(page), `${size.width} px`).toEqual([]);
        if (CHECKED_IN_JOURNEYS.has(name)) continue;
        if (size === NARROWEST) await expectAccessibleInEachTheme(page);
        if (size === LAPTOP) await expectStructureAccessible(page);
      }
      // The next page opens at the size at which this one is left.
      sizes.reverse();
    });
  });
