import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readDeclaredQueries } from "#e2e/api/declared-queries.ts";
import { isGeneralPage } from "#e2e/api/general-pages.ts";
import { Caller, fillPath, ROWS } from "#e2e/api/routes.ts";
import { EventStream } from "#e2e/support/event-stream.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { joinFlightData } from "#e2e/support/flight.ts";
import { LOCK_INCIDENT_SQL, runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { DAY_MS, waitForPeriodWith } from "#e2e/support/period.ts";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";

/**
 * Two worlds with the same people and reports; in the first one there are three reports more, hidden from Xenia, who is
 * an Admin of the event and an admin of its organization. Everything that she can read is the same in both.
 */

const heed = await shareService();

/** In everything that is hidden. */
const WORD = `hidden${generateUniqueWord()}`;
/** What differs each time, and what draws the event's address. */
const RANDOM_PATHS = /\/(challenge|qr)$/;
const GETS = ROWS.filter(({ method, path: route }) => method === "GET" && !RANDOM_PATHS.test(route));
const keepDeclared = await readDeclaredQueries(heed);

// Both worlds have to be built and read on one day: what counts by day would differ around midnight.
await waitForPeriodWith(5 * 60_000, DAY_MS);

type Place = Awaited<ReturnType<typeof buildPlace>>;

async function buildPlace() {
  const world = await TestWorld.build(heed);
  const { organization, event, maya, rita, omar, ada } = world;
  await heed.sql(
    `insert into event_report_settings (event_id, show_team) values ($1, true)
     on conflict (event_id) do update set show_team = true`,
    [event.id],
  );
  const xenia = await world.person("Xenia Moreau", {
    organization: [organization, "org_admin"],
    events: [[event, "Admin"]],
  });
  const reports = [];
  for (const [reporter, state, severity] of [
    [maya, "submitted", "low"],
    [rita, "investigating", "critical"],
    [maya, "resolved", null],
    [rita, "closed", "high"],
  ] as const) {
    const report = await world.report(reporter, event, { severity });
    reports.push(state === "submitted" ? report : await world.move(report, state));
  }
  const named = await nameVisiblePeople(world, organization.id, reports);
  await world.as(world.olga).put(`/api/organizations/${organization.id}/outside-person`, {
    userId: world.viktor.id,
  });
  // It is told of nothing that happened before.
  await waitForJobs();
  const webhook = { url: "https://example.org/hook", kinds: ["incident.created", "incident.changed"] };
  await world.as(xenia).post(`/api/organizations/${organization.id}/webhooks`, webhook);
  const people = [maya, rita, omar, ada, xenia];
  return { world, organization, event, xenia, people, reports, named };
}

const NAMED = { name: "Lukasz Zak", role: "reported", handles: ["heron"], addresses: ["zak@example.org"] };

async function addPerson(world: TestWorld, incidentId: string, person: object) {
  const path = `/api/events/${world.event.id}/incidents/${incidentId}/people`;
  const added = await world.as(world.ada).post(path, person);
  expect(added.status, added.text).toBe(201);
  return { path: `${path}/${added.body.person.id}`, personId: added.body.person.personId as string };
}

/** Names people in two reports, by code names that are the same in both worlds. */
async function nameVisiblePeople(world: TestWorld, organizationId: string, reports: { id: string }[]) {
  const named = [];
  for (const [at, person] of [NAMED, { ...NAMED, handles: [] }, { name: "Quill", role: "witness" }].entries())
    named.push(await addPerson(world, reports[at]?.id ?? "", person));
  await heed.sql(
    `with named as (
      select p.id, p.code_name as before, 'amber-' || row_number() over (order by p.created_at, p.id) as after
      from people p where p.organization_id = $1
    ), changed as (update people p set code_name = n.after from named n where n.id = p.id)
    update incident_history h set to_value = n.after from named n where h.to_value = n.before`,
    [organizationId],
  );
  return named;
}

const withHidden = await buildPlace();
const without = await buildPlace();
/** When things happened that Xenia must not learn of, in ISO format. */
let hiddenFrom: string;
let hiddenUntil: string;
let hidden: { id: string; fileId: string; messageId: string; personId: string };

beforeAll(async () => {
  await waitForJobs();
  hiddenFrom = await databaseTime();
  hidden = await fileHiddenReports(withHidden);
  await waitForJobs();
  hiddenUntil = await databaseTime();
  await recordLastLogViews();
}, 120_000);

/**
 * Records that Xenia views the logs, as of in an hour: views are recorded once a minute, and a slow machine would record
 * more of them in one place than in the other.
 */
async function recordLastLogViews(): Promise<void> {
  for (const { world, xenia, organization, event } of [withHidden, without])
    for (const log of [`organizations/${organization.id}`, `events/${event.id}`])
      expect((await world.as(xenia).get(`/api/${log}/audit`)).status).toBe(200);
  await heed.sql("alter table audit_entries disable trigger audit_entries_append_only");
  await heed.sql(
    "update audit_entries set at = at + interval '1 hour' where action = 'audit.view' and actor_id = any($1)",
    [[withHidden.xenia.id, without.xenia.id]],
  );
  await heed.sql("alter table audit_entries enable trigger audit_entries_append_only");
}

async function databaseTime(): Promise<string> {
  const [row] = await heed.sql<{ at: Date }>("select clock_timestamp() as at");
  return (row?.at ?? new Date()).toISOString();
}

async function waitForJobs(): Promise<void> {
  const isEmpty = async (table: string) => (await heed.sql(`select 1 from ${table} limit 1`)).length === 0;
  await waitUntil("an empty outbox", () => isEmpty("outbox_events"), 60_000);
}

/** Waits until the webhook has been called, from when on it may be shown as failing. */
const waitForWebhook = ({ organization }: Place) =>
  waitUntil(
    "a delivery was tried",
    async () => {
      const deliveries = "webhook_deliveries d join webhooks w on w.id = d.webhook_id";
      const where = "w.organization_id = $1 and d.attempts > 0";
      return (await heed.rows(deliveries, where, [organization.id])) > 0;
    },
    90_000,
  );

/** A named report and an anonymous one, with everything that a team does to them. */
async function fileHiddenReports({ world, event, xenia, named }: Place) {
  const { maya, omar, ada } = world;
  const excludedUserIds = [xenia.id];
  const report = await world.report(maya, event, {
    title: `Something ${WORD}`,
    description: `What ${WORD} did.`,
    location: WORD,
    parties: `${WORD} ${xenia.name}`,
    severity: "critical",
    excludedUserIds,
  });
  const at = (rest: string) => `/api/events/${event.id}/incidents/${report.id}/${rest}`;
  const body = buildForm({}, { name: `${WORD}.txt`, bytes: WORD });
  const file = await world.as(maya).post(at("related-files"), body);
  await world.move(report, "investigating", { notes: `${WORD} looked at` });
  const message = await world.as(omar).post(at("comments"), { visibility: "public", body: `Hello ${WORD}` });
  await world.as(ada).post(at("comments"), {
    visibility: "internal",
    body: `@${omar.name} and @${xenia.name}: ${WORD}`,
  });
  await world.as(ada).post("/api/users/me/pins", { incidentId: report.id, eventId: event.id });
  await world.as(omar).get(at("history"));
  const exported = await world.as(omar).get(`/api/users/me/incidents/export?ids=${report.id}`);
  expect(exported.status, exported.text).toBe(200);
  const conversation = await world.as(omar).post(at("conversations"), { party: "witness", label: WORD });
  expect(conversation.status, conversation.text).toBe(201);
  await world.as(ada).patch(`/api/events/slug/${event.slug}/incidents/${report.id}`, { severity: "high" });
  const person = await addPerson(world, report.id, NAMED);
  await addPerson(world, report.id, { name: WORD, role: "harmed", handles: [WORD] });
  const shown = await world.as(ada).post(`/api/people/${person.personId}/name`);
  expect(shown.body.names).toEqual([NAMED.name]);
  const joined = await world.as(ada).post(`${person.path}/join`, { personId: named[0]?.personId });
  expect(joined.status, joined.text).toBe(200);
  await world.move(report, "resolved", { notes: `${WORD} settled` });
  const anonymous = { title: `Unsigned ${WORD}`, description: WORD, anonymous: true, excludedUserIds };
  await world.as(world.rita).post(`/api/events/${event.id}/incidents`, anonymous);
  const outside = await world.report(maya, event, {
    title: `Nobody on the team ${WORD}`,
    description: WORD,
    excludedUserIds: [xenia.id, omar.id, ada.id],
  });
  const seen = await world
    .as(world.viktor)
    .patch(`/api/events/${event.id}/incidents/${outside.id}/state`, { state: "acknowledged", notes: WORD });
  expect(seen.status, seen.text).toBe(200);
  const { id: fileId } = file.body.relatedFiles[0];
  return { id: report.id, fileId, messageId: message.body.comment.id, personId: person.personId };
}

/** Gives the incidents that nobody hid the numbers and code names that they have in any such place, instead of drawn ones. */
const nameInOrder = ({ organization }: Pick<Place, "organization">) =>
  heed.sql(
    `update incidents i set number = 3000000 + r.place, code_name = 'report-' || r.place
     from (select n.id, row_number() over (order by n.created_at, n.id) as place from incidents n join events e on e.id = n.event_id
       where e.organization_id = $1 and not n.listed) r where i.id = r.id`,
    [organization.id],
  );

/** Text as it would be in any such place: ids in order of appearance, no times and no names that are random. */
function normalize(text: string, { world, organization, event }: Place): string {
  const names = [organization, event, world.otherEvent, world.foreignEvent, world.foreignOrganization];
  let plain = text;
  for (const [index, { slug }] of names.entries()) plain = plain.replaceAll(slug, `slug-${index}`);
  const ids = new Map<string, string>();
  return plain
    .replace(/\.[0-9a-f]{10,}@example\.org/g, "@example.org")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, (id) => {
      if (!ids.has(id)) ids.set(id, `id-${ids.size}`);
      return ids.get(id) ?? "";
    })
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?/g, "a time")
    .replace(/nonce(="|":")[^"]+/g, "nonce")
    .replace(/\b[0-9a-f]{8}\b/g, "short id")
    .replace(/("cursor":"|^id: )[\w-]{80,}/gm, "$1a sealed time")
    .replace(/"hash":"[0-9a-f]{64}"|\b[0-9a-f]{64}\b/g, "a hash");
}

/**
 * How often each word of a page occurs. A page is streamed, so that its parts and their numbers come in any order, and
 * sealed values differ each time.
 */
function countWords(html: string): Map<string, number> {
  const scripts = (html.match(/<script[\s\S]*?<\/script>/g) ?? []).join(" ");
  const words = [
    ...splitWords(html.replace(/<script[\s\S]*?<\/script>/g, " ")),
    ...splitWords(scripts).filter((word) => !IS_STREAM_REFERENCE.test(word)),
  ];
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const splitWords = (text: string): string[] =>
  text
    .replaceAll(String.raw`\n`, " ")
    .replace(/\b\d\d:\d\d\b/g, "a time")
    .replace(/\bk[0-9a-f]{20,}\b|\$ACTION_\w+(:\d+)?/g, "the key of a form")
    .replace(/[\w+/]{22}==/g, "a nonce")
    .replace(SEALED_VALUE, "sealed")
    .replace(/(just now|\d+ (sec|second|min|minute)s?\.? ago)/g, "a while ago")
    .split(/[<>"\\\s,()[\]{}]+/);

/** Random bytes as base64url, which may begin or end with a hyphen; 16 of them may have no digit. */
const SEALED_VALUE =
  /(?<![\w-])([\w-]{40,}(\.[\w-]+)*|(?=[\w-]*[A-Z])(?=[\w-]*[a-z])([\w-]{22}|(?=[\w-]*\d)[\w-]{20,}))(?![\w-])/g;

/** References between the parts of a stream, and their numbers. */
const IS_STREAM_REFERENCE = /\$|:props|^[0-9a-f]*:|^\d+$/;

const listWordDifferences = (seen: string, expected: string): string[] => {
  const [left, right] = [countWords(seen), countWords(expected)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((word) => left.get(word) !== right.get(word))
    .map((word) => `${word}: ${left.get(word) ?? 0} instead of ${right.get(word) ?? 0}`);
};

/** What could be asked about: a visible report, and the hidden one, or in the other world one that doesn't exist. */
const incidentParams = (place: Place): Record<string, string>[] => [
  { incidentId: place.reports[0]?.id ?? "" },
  place === withHidden
    ? { incidentId: hidden.id, fileId: hidden.fileId, commentId: hidden.messageId }
    : { incidentId: randomUUID(), fileId: randomUUID(), commentId: randomUUID() },
];

const QUERIES = ["", "limit=100", `search=${WORD}`, "status=resolved", "severity=high", "sort=urgency"];

async function readEverything(
  place: Place,
  { reader = place.xenia, rows = GETS } = {},
): Promise<Map<string, string>> {
  const { world, organization, event, people } = place;
  const caller = await Caller.over(world);
  await nameInOrder(place);
  // What follows from the caller's report would otherwise be read in one place, and not yet in the other.
  await waitForJobs();
  await waitForWebhook(place);
  const client = world.as(reader);
  const answers = new Map<string, string>();
  for (const row of rows) {
    const asksForIncident = /:(incidentId|fileId|commentId)/.test(row.path);
    const asksForPerson = row.path.includes(":userId");
    for (const [about, params] of incidentParams(place).entries()) {
      if (about > 0 && !asksForIncident) continue;
      for (const person of asksForPerson ? people : [reader])
        for (const query of keepDeclared(row, QUERIES)) {
          const path = fillPath(
            row.path,
            {
              ...caller.params,
              organizationId: organization.id,
              orgSlug: organization.slug,
              eventId: event.id,
              slug: event.slug,
              ...params,
              userId: person.id,
            },
            query,
          );
          const { status, text } = await client.get(path, { mayRenew: true });
          const key = `${row.path} ${about} ${person.name} ${query}`;
          answers.set(key, `${status} ${normalize(text, place)}`);
          checkTimes(text, key);
        }
    }
  }
  return answers;
}

/** Nothing that Xenia reads may have a time at which only hidden things happened. */
function checkTimes(text: string, where: string): void {
  const times = text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g) ?? [];
  expect(
    times.filter((time) => time > hiddenFrom && time < hiddenUntil),
    where,
  ).toEqual([]);
}

async function openPage({ world, xenia }: Place, page: string) {
  const headers = { cookie: world.as(xenia).cookie ?? "", accept: "text/html" };
  const response = await fetch(heed.url + page, { headers, redirect: "manual" });
  return { status: response.status, text: joinFlightData(await response.text()) };
}

function listPages({ organization, event, reports, world }: Place): string[] {
  const root = path.resolve(import.meta.dirname, "../../app");
  const inEvents: Record<string, string> = {
    slug: event.slug,
    id: reports[0]?.id ?? "",
    code: "unknown-code",
    token: "unknown-token",
    group: "incidents",
    userId: world.omar.id,
    inviteId: "00000000-0000-4000-8000-000000000000",
    webhookId: "00000000-0000-4000-8000-000000000000",
  };
  return fs
    .readdirSync(root, { recursive: true })
    .map((file) => String(file))
    .filter((file) => file.endsWith("page.tsx"))
    .map((file) => `/${path.dirname(file)}`.replaceAll(/\/\(\w+\)/g, "").replace(/\/\.$/, "/") || "/")
    .map((route) =>
      route.replaceAll(/\[(\w+)\]/g, (_, name: string) =>
        route.startsWith("/orgs/") && name === "slug" ? organization.slug : (inEvents[name] ?? name),
      ),
    )
    .filter((page) => !isGeneralPage(page))
    .toSorted();
}

/** Which responses differ, each with what stands at the first difference. */
const listDifferences = (seen: Map<string, string>, expected: Map<string, string>): string[] =>
  [...seen].flatMap(([key, text]) => {
    const other = expected.get(key) ?? "";
    if (text === other) return [];
    const at = [...text].findIndex((letter, index) => letter !== other[index]);
    const around = (whole: string) => whole.slice(Math.max(0, at - 80), at + 120);
    return [`${key}: ${around(text)} INSTEAD OF ${around(other)}`];
  });

test("pages are compared by their words", () => expect(listWordDifferences("two", "three")).not.toEqual([]));

describe("for somebody from whom reports are hidden", () => {
  test("every GET route responds as if they didn't exist", async () => {
    const [seen, expected] = [await readEverything(withHidden), await readEverything(without)];
    expect(seen.size).toBeGreaterThan(250);
    expect(listDifferences(seen, expected)).toEqual([]);
  }, 300_000);

  test("every page is as if they didn't exist", async () => {
    const read = async (place: Place) => {
      const pages = new Map<string, string>();
      for (const page of listPages(place)) {
        const { status, text } = await openPage(place, page);
        pages.set(normalize(page, place), `${status} ${normalize(text, place)}`);
        checkTimes(text, page);
      }
      return pages;
    };
    const [seen, expected] = [await read(withHidden), await read(without)];
    expect(seen.size).toBeGreaterThan(40);
    for (const [page, html] of seen)
      expect(listWordDifferences(html, expected.get(page) ?? ""), page).toEqual([]);
  }, 300_000);

  test("members of the organization whom they add read nothing of them, in no number either", async () => {
    const rows = GETS.filter(({ path: route }) => route.startsWith("/api/organizations/"));
    const readAsViewer = async (place: Place) => {
      const { world, organization, xenia } = place;
      const vera = await world.person("Vera Viewer");
      const path = `/api/organizations/${organization.id}`;
      const body = { userId: vera.id, role: "org_viewer" };
      expect((await world.as(xenia).post(`${path}/members`, body)).status).toBe(201);
      const analytics = async (person: TestPerson) =>
        (await world.as(person).get(`${path}/reports/analytics?timeRange=all`)).body;
      return {
        answers: await readEverything(place, { reader: vera, rows }),
        seen: await analytics(vera),
        all: await analytics(world.viktor),
      };
    };
    const [here, there] = [await readAsViewer(withHidden), await readAsViewer(without)];
    expect(here.answers.size).toBeGreaterThan(40);
    expect(listDifferences(here.answers, there.answers)).toEqual([]);
    // There is something to leak: a viewer whom nobody excluded reads the titles.
    expect(JSON.stringify(here.all)).toContain(WORD);
    expect(JSON.stringify(here.seen)).not.toContain(WORD);
    expect(here.all.metrics.totalReports - here.seen.metrics.totalReports).toBe(3);
  }, 120_000);

  test("the rest of the team reads them, so that there is something to leak", async () => {
    const { world, event } = withHidden;
    const list = `/api/events/slug/${event.slug}/incidents?search=${WORD}`;
    for (const person of [world.ada, world.omar])
      expect((await world.as(person).get(list)).body.pagination.total).toBe(2);
    expect((await world.as(withHidden.xenia).get(list)).body.pagination.total).toBe(0);
  });

  test("people are known by the other reports alone, with whomever they are joined", async () => {
    const read = async (place: Place, unknownId: string) => {
      const { world, event, xenia, reports, named } = place;
      const client = world.as(xenia);
      const path = `/api/events/${event.id}/incidents/${reports[0]?.id}/people`;
      const answers = [await client.get("/api/people"), await client.get(path)];
      for (const personId of [named[0]?.personId, unknownId])
        answers.push(await client.post(`/api/people/${personId}/name`));
      answers.push(await client.post(`${named[0]?.path}/join`, { personId: unknownId }));
      answers.push(await client.post(`${named[0]?.path}/split`));
      return answers.map(({ status, text }) => `${status} ${normalize(text, place)}`);
    };
    const seen = await read(withHidden, hidden.personId);
    expect(seen).toEqual(await read(without, randomUUID()));
    expect(seen.map((text) => text.slice(0, 3))).toEqual(["200", "200", "200", "404", "404", "409"]);
    // There is something to leak.
    const { world, event, reports } = withHidden;
    const path = `/api/events/${event.id}/incidents/${reports[0]?.id}/people`;
    expect((await world.as(world.ada).get(path)).body.people).toMatchObject([
      {
        joined: true,
        codeName: "amber-1",
        otherReports: { count: 2 },
        samePeople: [{ codeName: "amber-2" }],
      },
    ]);
    expect((await world.as(withHidden.xenia).get(path)).body.people).toMatchObject([
      {
        joined: false,
        codeName: "amber-1",
        otherReports: { count: 1 },
        samePeople: [{ codeName: "amber-2" }],
      },
    ]);
    expect((await world.as(world.ada).get("/api/people")).body.people).toHaveLength(4);
  });

  test("nothing is mailed, and no notification or webhook delivery is kept", async () => {
    const { xenia, organization } = withHidden;
    const about = await heed.sql(
      "select 1 from notifications where user_id = $1 and incident_id in (select incident_id from incident_readers where user_id = $1)",
      [xenia.id],
    );
    expect(about).toEqual([]);
    const deliveries = await heed.sql(
      `select 1 from webhook_deliveries d join webhooks w on w.id = d.webhook_id
       where w.organization_id = $1 and d.payload ->> 'incidentId' = $2`,
      [organization.id, hidden.id],
    );
    expect(deliveries).toEqual([]);
  });
});

describe("every write", () => {
  const ROWS_AT_INCIDENTS = ROWS.filter(
    ({ method, path: route }) => method !== "GET" && route.includes(":incidentId"),
  );

  test("is refused as for a report that doesn't exist", async () => {
    const answers = async (place: Place, incidentId: string) => {
      const { world, event, organization, xenia } = place;
      const replies = [];
      const params = { ...(await Caller.over(world)).params, organizationId: organization.id };
      for (const row of ROWS_AT_INCIDENTS) {
        const target = fillPath(row.path, { ...params, eventId: event.id, slug: event.slug, incidentId }, "");
        const { status, text } = await world.as(xenia).send(row.method, target, {}, { mayRenew: true });
        replies.push(`${row.method} ${row.path} ${status} ${normalize(text, place)}`);
      }
      return replies;
    };
    expect(await answers(withHidden, hidden.id)).toEqual(await answers(without, randomUUID()));
  }, 120_000);
});

describe("hiding", () => {
  const { world, event, xenia } = withHidden;
  const { maya, rita, omar, ada, sam } = world;
  const at = (id: string, rest = "") => `/api/events/${event.id}/incidents/${id}${rest}`;
  const hideFrom = (by: TestPerson, id: string, person: TestPerson) =>
    world.as(by).put(at(id, `/readers/${person.id}`), { access: "none" });

  beforeAll(async () => {
    // With an outside person, the last reader could be excluded, too.
    const path = `/api/organizations/${withHidden.organization.id}/outside-person`;
    expect((await world.as(world.olga).put(path, { userId: null })).status).toBe(200);
  });

  test("removes the assignment, the pin, the notifications and webhook deliveries", async () => {
    const report = await world.report(maya, event);
    await world.move(report, "investigating");
    await world.as(omar).post("/api/users/me/pins", { incidentId: report.id, eventId: event.id });
    await waitForJobs();
    const traces = async () => {
      const rows = await heed.sql<{ of: string }>(
        `select 'pin' as of from pins where user_id = $1 and incident_id = $2
         union select 'notification' from notifications where user_id = $1 and incident_id = $2
         union select 'delivery' from webhook_deliveries where payload ->> 'incidentId' = $2::text order by 1`,
        [omar.id, report.id],
      );
      return rows.map(({ of }) => of);
    };
    expect(await traces()).toEqual(["delivery", "notification", "pin"]);
    expect((await hideFrom(ada, report.id, omar)).status).toBe(200);
    expect((await world.as(omar).get(at(report.id))).status).toBe(404);
    const { incident } = (await world.as(ada).get(at(report.id))).body;
    expect(incident.assignedResponderId).toBeNull();
    expect(await traces()).toEqual([]);
    const bySlug = `/api/events/slug/${event.slug}/incidents/${report.id}`;
    const assigned = await world.as(ada).patch(bySlug, { assignedResponderId: omar.id });
    expect(assigned.body.code).toBe("INVALID_ASSIGNEE");
  });

  test("is refused for somebody who isn't on the team, and for the last reader", async () => {
    const report = await world.report(maya, event);
    expect((await hideFrom(maya, report.id, rita)).status).toBe(400);
    expect((await hideFrom(maya, report.id, ada)).status).toBe(200);
    expect((await hideFrom(maya, report.id, xenia)).status).toBe(200);
    expect((await hideFrom(maya, report.id, omar)).status).toBe(400);
    const all = [ada, xenia, omar].map(({ id }) => id);
    const body = { title: "A report about everybody", description: "All of them.", excludedUserIds: all };
    const refused = await world.as(maya).post(`/api/events/${event.id}/incidents`, body);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("excludedUserIds");
  });

  test("by the reporter is undone by the reporter only, by an Admin also by another Admin", async () => {
    const report = await world.report(maya, event);
    await hideFrom(maya, report.id, omar);
    const letIn = async (by: TestPerson) =>
      (await world.as(by).put(at(report.id, `/readers/${omar.id}`), { access: "full" })).status;
    expect(await letIn(ada)).toBe(403);
    expect(await letIn(maya)).toBe(200);
    expect((await world.as(omar).get(at(report.id))).status).toBe(200);
    await hideFrom(ada, report.id, omar);
    expect(await letIn(xenia)).toBe(200);
    await hideFrom(ada, report.id, omar);
    expect(await letIn(maya)).toBe(200);
    await hideFrom(ada, report.id, omar);
    await hideFrom(maya, report.id, omar);
    expect(await letIn(ada)).toBe(403);
  });

  test("shows the reporter who is excluded, and no reason", async () => {
    const report = await world.report(maya, event);
    await world
      .as(ada)
      .put(at(report.id, `/readers/${omar.id}`), { access: "none", reason: "He is a friend of theirs." });
    const [forTeam] = (await world.as(ada).get(at(report.id, "/readers"))).body.hiddenFrom;
    const [forReporter] = (await world.as(maya).get(at(report.id, "/readers"))).body.hiddenFrom;
    expect(forTeam).toMatchObject({
      person: { id: omar.id },
      source: "team",
      reason: "He is a friend of theirs.",
    });
    expect(forReporter).toMatchObject({ person: { id: omar.id }, reason: null, canLetIn: true });
  });

  test("stepping out closes the report until another Admin lets them in", async () => {
    const report = await world.report(maya, event);
    expect(
      (await world.as(ada).post(at(report.id, "/readers/me/step-out"), { reason: "A friend." })).status,
    ).toBe(204);
    expect((await world.as(ada).get(at(report.id))).status).toBe(404);
    expect((await world.as(ada).put(at(report.id, `/readers/${ada.id}`), { access: "full" })).status).toBe(
      404,
    );
    expect((await world.as(xenia).put(at(report.id, `/readers/${ada.id}`), { access: "full" })).status).toBe(
      200,
    );
    expect((await world.as(ada).get(at(report.id))).status).toBe(200);
  });

  test("of a SystemAdmin ends for a day when they state why, which team and reporter see", async () => {
    const report = await world.report(maya, event);
    await hideFrom(maya, report.id, sam);
    expect((await world.as(sam).get(at(report.id))).status).toBe(404);
    const reason = "The whole team is away this week.";
    const opened = await world.as(sam).post(at(report.id, "/readers/me/emergency"), { reason });
    expect(opened.status, opened.text).toBe(200);
    expect((await world.as(sam).get(at(report.id))).status).toBe(200);
    expect((await world.as(ada).get(at(report.id, "/access?kind=emergency"))).body.access).toMatchObject([
      { kind: "emergency", reason, actor: { id: sam.id } },
    ]);
    for (const reader of [ada, maya])
      expect((await world.as(reader).get(at(report.id, "/history"))).text).toContain("emergency");
    const readers = (await world.as(ada).get(at(report.id, "/readers"))).body.readers;
    expect(readers.find((one: any) => one.person.id === sam.id)).toMatchObject({
      as: "systemAdmin",
      access: "none",
      openedUntil: opened.body.openedUntil,
    });
    const own = at(report.id, `/readers/${sam.id}`);
    expect((await world.as(sam).put(own, { access: "full" })).status).toBe(403);
    await heed.sql("update incident_readers set opened_until = now() where incident_id = $1", [report.id]);
    expect((await world.as(sam).get(at(report.id))).status).toBe(404);
  });

  test("it from two people at once leaves one reader", async () => {
    const report = await world.report(maya, event);
    await hideFrom(maya, report.id, xenia);
    const [first, second] = await Promise.all([
      hideFrom(maya, report.id, omar),
      hideFrom(maya, report.id, ada),
    ]);
    expect([first.status, second.status].toSorted()).toEqual([200, 400]);
  });

  test("reaches admins of the organization who aren't on the team yet", async () => {
    const { olga } = world;
    const report = await world.report(maya, event);
    expect((await hideFrom(maya, report.id, olga)).status).toBe(200);
    await world.grant(olga, event, "Admin");
    expect((await world.as(olga).get(at(report.id))).status).toBe(404);
    await heed.sql("delete from event_roles where event_id = $1 and user_id = $2", [event.id, olga.id]);
  });

  test("by whoever takes a report for somebody leaves an Admin, who may let them in", async () => {
    const take = (excluded: TestPerson[]) =>
      world.as(omar).post(`/api/events/slug/${event.slug}/intakes`, {
        title: "Taken at the registration desk",
        description: "They shouted at me.",
        channel: "in_person",
        excludedUserIds: excluded.map(({ id }) => id),
      });
    expect((await take([ada, xenia])).status).toBe(400);
    const taken = await take([ada]);
    expect(taken.status, taken.text).toBe(201);
    const { id } = taken.body.incident;
    expect((await world.as(ada).get(at(id))).status).toBe(404);
    expect((await world.as(xenia).put(at(id, `/readers/${ada.id}`), { access: "full" })).status).toBe(200);
  });

  test("keeps earlier entries of the audit log from the person, even when the incident is deleted", async () => {
    const report = await world.report(maya, event);
    const other = await world.report(maya, event);
    await world.as(omar).get(`/api/users/me/incidents/export?ids=${report.id},${other.id}`);
    await hideFrom(maya, report.id, xenia);
    await world.as(omar).get(`/api/users/me/incidents/export?ids=${report.id},${other.id}`);
    const readLog = async () => (await world.as(xenia).get(`/api/events/${event.id}/audit?limit=100`)).text;
    expect(await readLog()).not.toContain(report.id);
    await heed.sql("delete from incidents where id = $1", [report.id]);
    expect(await readLog()).not.toContain(report.id);
    expect((await world.as(ada).get(`/api/events/${event.id}/audit?limit=100`)).text).toContain(report.id);
  });

  test("stops streams, polls and presence of the incident, without an event about it", async () => {
    const report = await world.report(maya, event);
    await waitForJobs();
    const open = async (person: TestPerson) => {
      const stream = await EventStream.open(world.as(person));
      await stream.next("the first count", (one) => one.event === "notification");
      return stream;
    };
    const [excluded, other] = await Promise.all([open(omar), open(ada)]);
    const { cursor } = (await world.as(omar).get("/api/users/me/stream?poll=1")).body;
    await hideFrom(maya, report.id, omar);
    const say = (person: TestPerson) =>
      world.as(person).post(at(report.id, "/presence"), { doing: "writing" });
    expect((await say(omar)).status).toBe(404);
    expect((await say(xenia)).status).toBe(200);
    await world.as(maya).post(at(report.id, "/comments"), { visibility: "public", body: "It goes on." });
    await other.change("message.created", report.id);
    await other.next("presence", (one) => one.data.incidentId === report.id && one.event === "presence");
    const later = await world.report(maya, event);
    await excluded.change("incident.created", later.id);
    const polled = await world.as(omar).get(`/api/users/me/stream?poll=1&since=${cursor}`);
    expect(polled.text).toContain(later.id);
    for (const stream of [excluded, other]) stream.close();
    for (const text of [excluded.text, polled.text]) expect(text).not.toContain(report.id);
    expect(excluded.events.map((one) => one.event)).not.toContain("roles");
  });

  test("stops the streams of people for whom the list that is made then has no row", async () => {
    const report = await world.report(maya, event);
    await waitForJobs();
    const stream = await EventStream.open(world.as(omar));
    await stream.next("the first count", (one) => one.event === "notification");
    // As if omar's role were granted, and not visible yet, while the list is made.
    await heed.sql("update incidents set listed = true where id = $1", [report.id]);
    await world.as(maya).post(at(report.id, "/comments"), { visibility: "public", body: "It goes on." });
    const later = await world.report(maya, event);
    await stream.change("incident.created", later.id);
    stream.close();
    expect(stream.text).not.toContain(report.id);
    expect(stream.events.map((one) => one.event)).not.toContain("roles");
  });

  test("applies to a change that was waiting for the incident's lock", async () => {
    const report = await world.report(maya, event);
    const bySlug = `/api/events/slug/${event.slug}/incidents/${report.id}`;
    const whileHiding = (send: () => ReturnType<typeof hideFrom>) =>
      runWhileLocked(LOCK_INCIDENT_SQL, [report.id], send, async () => {
        await waitForBlockedStatements();
        await heed.sql(
          `insert into incident_readers (incident_id, user_id, access, source) values ($1, $2, 'none', 'reporter')`,
          [report.id, omar.id],
        );
      });
    const changed = await whileHiding(() => world.as(omar).patch(bySlug, { severity: "high" }));
    expect([changed.status, changed.body.code]).toEqual([404, "NOT_FOUND"]);
    await heed.sql("delete from incident_readers where incident_id = $1", [report.id]);
    const assigned = await whileHiding(() => world.as(ada).patch(bySlug, { assignedResponderId: omar.id }));
    expect(assigned.body.code).toBe("INVALID_ASSIGNEE");
    const { incident } = (await world.as(ada).get(at(report.id))).body;
    expect(incident).toMatchObject({ severity: null, assignedResponderId: null });
  });

  test("by a reporter without an account is undone by a SystemAdmin, by a named one by nobody else", async () => {
    const send = async (anonymous: boolean) => {
      const title = `Lifted by whom ${generateUniqueWord()}`;
      const body = { title, description: "By the stairs.", anonymous, excludedUserIds: [omar.id] };
      expect((await world.as(rita).post(`/api/events/${event.id}/incidents`, body)).status).toBe(201);
      const [row] = await heed.sql<{ id: string }>("select id from incidents where title = $1", [title]);
      return row?.id ?? "";
    };
    const [unsigned, named] = [await send(true), await send(false)];
    const letIn = (by: TestPerson, id: string) =>
      world.as(by).put(at(id, `/readers/${omar.id}`), { access: "full" });
    expect((await letIn(ada, unsigned)).status).toBe(403);
    expect((await letIn(sam, named)).status).toBe(403);
    expect((await world.as(omar).get(at(unsigned))).status).toBe(404);
    expect((await letIn(sam, unsigned)).status).toBe(200);
    expect((await world.as(omar).get(at(unsigned))).status).toBe(200);
  });

  test("hides the incident from every service token, also once the person deletes their account", async () => {
    const leaving = await world.person("Lena Leaving", { events: [[event, "Responder"]] });
    const report = await world.report(maya, event);
    const wanted = { name: "Nightly", scope: "read", eventId: event.id, currentPassword: PASSWORD };
    const made = await world
      .as(xenia)
      .post(`/api/organizations/${withHidden.organization.id}/tokens`, wanted);
    const by = { headers: { authorization: `Bearer ${made.body.token}` } };
    const read = async () => {
      const [one, list] = await Promise.all([
        world.nobody.get(at(report.id), by),
        world.nobody.get(`/api/events/${event.id}/incidents?ids=${report.id}`, by),
      ]);
      return [one.status, list.text.includes(report.id)];
    };
    expect(await read()).toEqual([200, true]);
    expect((await hideFrom(maya, report.id, leaving)).status).toBe(200);
    expect(await read()).toEqual([404, false]);
    expect((await world.as(leaving).delete("/api/users/me", { currentPassword: PASSWORD })).status).toBe(200);
    expect(await read()).toEqual([404, false]);
    const { hiddenFrom: people } = (await world.as(ada).get(at(report.id, "/readers"))).body;
    // The team learns that somebody was excluded, since they may come back.
    expect(people).toMatchObject([{ person: null, source: "reporter", canLetIn: false }]);
  });

  test("gives the report a list, which nobody is on who joins later, until somebody on it lets them in", async () => {
    const report = await world.report(maya, event);
    expect((await hideFrom(maya, report.id, ada)).status).toBe(200);
    const invite = await world.as(xenia).post(`/api/events/slug/${event.slug}/invites`, { role: "Admin" });
    const [given, guest] = [await world.person("Gil Given"), await world.person("Gus Guest")];
    await world.grant(given, event, "Reporter");
    const path = `/api/events/${event.id}/roles`;
    const granted = await world.as(xenia).post(path, { userId: given.id, roleName: "Responder" });
    expect(granted.status, granted.text).toBe(200);
    expect((await world.as(guest).post(`/api/invites/${invite.body.invite.code}/redeem`)).status).toBe(200);
    const later = await world.report(maya, event);
    for (const person of [given, guest]) {
      expect((await world.as(person).get(at(report.id))).status).toBe(404);
      expect((await world.as(person).get(at(later.id))).status).toBe(200);
    }
    const list = await world.as(xenia).get(at(report.id, "/readers"));
    const onList = list.body.readers.map(({ person }: { person: { id: string } }) => person.id);
    expect(list.body.listed).toBe(true);
    expect(onList).toEqual(expect.arrayContaining([xenia.id, omar.id]));
    for (const { id } of [maya, ada, given, guest]) expect(onList).not.toContain(id);
    const ofLater = (await world.as(xenia).get(at(later.id, "/readers"))).body;
    expect(ofLater.listed).toBe(false);
    for (const { id, name } of [ada, given, guest])
      expect(ofLater.readers).toContainEqual({
        person: { id, name },
        as: "team",
        access: "full",
        answer: null,
        openedUntil: null,
      });
    // No reporter learns who runs the service, nor names of a team that its event doesn't show.
    const listNamesForReporter = async () => {
      const { readers } = (await world.as(maya).get(at(report.id, "/readers"))).body;
      expect(readers).toHaveLength(list.body.readers.length);
      return readers.flatMap(({ person }: any) => person?.name ?? []);
    };
    expect(await listNamesForReporter()).toEqual([omar.name, xenia.name]);
    const settings = `/api/events/${event.id}/report-settings`;
    for (const [showTeam, names] of [
      [false, []],
      [true, [omar.name, xenia.name]],
    ]) {
      expect((await world.as(xenia).patch(settings, { showTeam })).status).toBe(200);
      expect(await listNamesForReporter()).toEqual(names);
    }
    expect(list.body.hiddenFrom).toMatchObject([
      { person: { id: ada.id }, source: "reporter", canLetIn: false },
      { person: { id: given.id }, source: "list", canLetIn: true },
      { person: { id: guest.id }, source: "list", canLetIn: true },
    ]);
    expect(
      (await world.as(guest).put(at(report.id, `/readers/${given.id}`), { access: "full" })).status,
    ).toBe(404);
    for (const [by, { id }] of [
      [xenia, given],
      [maya, guest],
    ] as const)
      expect((await world.as(by).put(at(report.id, `/readers/${id}`), { access: "full" })).status).toBe(200);
    for (const person of [given, guest]) {
      expect((await world.as(person).get(at(report.id))).status).toBe(200);
      await world.revoke(person, event);
    }
    expect((await world.as(xenia).put(at(report.id, `/readers/${omar.id}`), { access: "full" })).status).toBe(
      404,
    );
  });

  test("is undone at once for somebody who joined later, by an Admin, as far as that Admin reads and nobody decided it", async () => {
    const place = await world.newEvent(withHidden.organization);
    const [admin, second, later] = [
      await world.person("Ann Admin", { events: [[place, "Admin"]] }),
      await world.person("Sol Second", { events: [[place, "Admin"]] }),
      await world.person("Lou Later", { events: [[place, "Reporter"]] }),
    ];
    await world.grant(maya, place, "Reporter");
    const inPlace = (id: string) => `/api/events/${place.id}/incidents/${id}`;
    const hide = async (title: string, people: TestPerson[]) =>
      (await world.report(maya, place, { title, excludedUserIds: people.map(({ id }) => id) })).id;
    const both = await hide("Hidden from a viewer", [world.viktor]);
    const fromSecond = await hide("Hidden from the second Admin", [second]);
    await world.grant(later, place, "Responder");
    const decided = await hide("Hidden from who joined", [later]);
    const path = `/api/events/slug/${place.slug}/users/${later.id}/closed-incidents`;
    const idsFor = async (by: TestPerson) => {
      const { status, body } = await world.as(by).get(path);
      expect([status, body.total]).toEqual([200, body.incidents.length]);
      return body.incidents.map(({ id }: { id: string }) => id);
    };
    expect([await idsFor(admin), await idsFor(second)]).toEqual([[fromSecond, both], [both]]);
    expect((await world.as(later).get(path)).status).toBe(403);
    expect((await world.as(second).post(path)).body).toEqual({ incidents: [], total: 0 });
    const statuses = async () =>
      Promise.all(
        [both, fromSecond, decided].map(async (id) => (await world.as(later).get(inPlace(id))).status),
      );
    expect(await statuses()).toEqual([200, 404, 404]);
    expect((await world.as(admin).post(path)).body).toEqual({ incidents: [], total: 0 });
    expect(await statuses()).toEqual([200, 200, 404]);
    expect((await world.as(admin).get(`${inPlace(both)}/history`)).text).toContain("letIn");
  });

  test("ends with the list, by the reporter or, of what the team decided, by an Admin; whoever stepped out stays out", async () => {
    const end = (by: TestPerson, id: string) => world.as(by).delete(at(id, "/readers"));
    const statusFor = async (person: TestPerson, id: string) => (await world.as(person).get(at(id))).status;
    const canEnd = async (by: TestPerson, id: string) =>
      (await world.as(by).get(at(id, "/readers"))).body.canEndList;
    const report = await world.report(maya, event);
    expect((await end(xenia, report.id)).status).toBe(404);
    expect((await hideFrom(maya, report.id, ada)).status).toBe(200);
    const later = await world.person("Lena Later", { events: [[event, "Responder"]] });
    expect((await world.as(omar).post(at(report.id, "/readers/me/step-out"), {})).status).toBe(204);
    expect((await end(xenia, report.id)).status).toBe(403);
    for (const person of [ada, omar, later]) expect((await end(person, report.id)).status).toBe(404);
    expect([await canEnd(xenia, report.id), await canEnd(maya, report.id)]).toEqual([false, true]);
    const ended = await end(maya, report.id);
    expect([ended.status, ended.body.listed, ended.body.canEndList]).toEqual([200, false, false]);
    for (const person of [ada, later]) expect(await statusFor(person, report.id)).toBe(200);
    expect(await statusFor(omar, report.id)).toBe(404);
    expect((await world.as(ada).get(at(report.id, "/history"))).text).toContain("listEnded");
    expect((await end(maya, report.id)).status).toBe(404);

    const ofTeam = await world.report(maya, event);
    expect((await hideFrom(xenia, ofTeam.id, omar)).status).toBe(200);
    expect([await canEnd(ada, ofTeam.id), await canEnd(later, ofTeam.id)]).toEqual([true, false]);
    expect((await end(later, ofTeam.id)).status).toBe(403);
    expect((await end(ada, ofTeam.id)).status).toBe(200);
    expect(await statusFor(omar, ofTeam.id)).toBe(200);
    await world.revoke(later, event);
  });

  test("reaches every member of the organization: they count it without its title, or not at all", async () => {
    const { viktor, olga } = world;
    const path = `/api/organizations/${withHidden.organization.id}/reports/analytics?timeRange=all`;
    const title = `About a viewer ${generateUniqueWord()}`;
    const read = async (person: TestPerson) => {
      const { status, body, text } = await world.as(person).get(path);
      expect(status, text).toBe(200);
      return { total: body.metrics.totalReports as number, hasTitle: text.includes(title) };
    };
    const before = { viktor: await read(viktor), olga: await read(olga) };
    const report = await world.report(maya, event, { title });
    expect(await read(olga)).toEqual({ total: before.olga.total + 1, hasTitle: true });
    expect((await hideFrom(maya, report.id, viktor)).status).toBe(200);
    expect(await read(viktor)).toEqual({ total: before.viktor.total, hasTitle: false });
    expect(await read(olga)).toEqual({ total: before.olga.total + 1, hasTitle: false });
    expect(
      (await world.as(maya).put(at(report.id, `/readers/${viktor.id}`), { access: "full" })).status,
    ).toBe(200);
    expect(await read(viktor)).toEqual({ total: before.viktor.total + 1, hasTitle: false });
    expect((await hideFrom(ada, report.id, viktor)).status).toBe(200);
    expect(await read(viktor)).toEqual({ total: before.viktor.total, hasTitle: false });
    expect((await hideFrom(maya, report.id, rita)).status).toBe(400);
  });

  test("by an Admin leaves a SystemAdmin, and somebody on the team who can use their role", async () => {
    const place = await world.newEvent(withHidden.organization, "Three on the team");
    const [alma, ben, una] = await Promise.all([
      world.person("Alma Admin", { events: [[place, "Admin"]] }),
      world.person("Ben Both", { events: [[place, "Responder"]] }),
      world.person("Una Unused", { events: [[place, "Responder"]] }),
    ]);
    await world.grant(maya, place, "Reporter");
    const report = await world.report(maya, place);
    const path = `/api/events/${place.id}/incidents/${report.id}/readers`;
    const hideHere = (by: TestPerson, { id }: TestPerson) =>
      world.as(by).put(`${path}/${id}`, { access: "none" });
    expect((await hideHere(alma, ben)).status).toBe(200);
    const systemAdmins = await heed.sql<TestPerson>("select id from users where system_admin");
    const statuses = [];
    for (const one of systemAdmins) statuses.push((await hideHere(alma, one)).status);
    expect(statuses, "the last of them").toContain(400);
    await heed.sql("update users set disabled_at = now() where id = $1", [una.id]);
    expect((await hideHere(alma, alma)).status).toBe(400);
    expect((await hideHere(maya, alma)).status).toBe(400);
    // Without a mail server nobody verifies an address, and everybody's counts as verified.
    await heed.sql("update users set disabled_at = null, email_verified_at = null where id = $1", [una.id]);
    expect((await hideHere(maya, alma)).status).toBe(200);
    expect((await world.as(maya).get(path)).body.hasReader).toBe(true);
  });
});
