import http from "node:http";
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { extractPdfTexts } from "#e2e/support/pdf-text.ts";
import { shareService } from "#e2e/support/service.ts";
import { UNKNOWN_ID, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type EventRef, type TestPerson, type PlaceRef } from "#e2e/support/world.ts";

/** Exports of an organization's reports (contract 10.3). The tests beside the code have their cells, lines and pages. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { boris, foreignEvent, maya, olga, omar, sam, viktor } = world;

const company = await world.newOrganization("Paper, Ink & Sons");
const harbour = await world.newEvent(company, "Harbour Days");
const mill = await world.newEvent(company, "Mill Weekend");
await world.join(olga, company, "org_admin");
await world.join(viktor, company, "org_viewer");
await world.report(boris, foreignEvent, { title: "A report of the other tenant" });

const COLUMNS = [
  "id",
  "title",
  "status",
  "severity",
  "event",
  "assignedTo",
  "createdAt",
  "firstResponseAt",
  "resolvedAt",
  "url",
];
type Line = Record<string, string>;

const exporting = (of: PlaceRef) => `/api/organizations/${of.id}/reports/export`;
const take = async (query: string, of = company, person: TestPerson = viktor): Promise<Reply> => {
  const reply = await world.as(person).get(`${exporting(of)}?${query}`);
  expect(reply.status, reply.text.slice(0, 300)).toBe(200);
  return reply;
};

/** The rows of a CSV as a reader sees them, the header among them. */
function cells(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ",", newline: "\r\n" });
  expect(errors).toEqual([]);
  expect(data.pop()).toEqual([""]);
  for (const row of data) expect(row).toHaveLength(COLUMNS.length);
  return data;
}

function linesOf(text: string): Line[] {
  const [header, ...rows] = cells(text);
  expect(header).toEqual(COLUMNS);
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [COLUMNS[at], cell])));
}

const csv = async (query = "timeRange=all", of = company) =>
  linesOf((await take(`format=csv&${query}`, of)).text);

type Seed = { title: string; state?: string; severity?: string; created?: string; assigned?: TestPerson };

async function seed(event: EventRef, ...seeds: Seed[]): Promise<void> {
  for (const { title, state = "submitted", severity = null, created, assigned } of seeds)
    await heed.sql(
      `insert into incidents (event_id, title, description, reporter_id, state, severity, created_at, assigned_responder_id,
         first_response_at, resolved_at)
       select $1, $2, 'What happened.', $3, $4::incident_state, $5::severity, made, $7,
         case when $4 <> 'submitted' then made end, case when $4 in ('resolved', 'closed') then made end
       from coalesce($6::timestamptz, now()) made`,
      [event.id, title, maya.id, state, severity, created ?? null, assigned?.id ?? null],
    );
}

/** An organization of its own with one event, which olga and viktor may export. */
async function elsewhere(): Promise<[PlaceRef, EventRef]> {
  const own = await world.newOrganization("Elsewhere");
  await world.join(olga, own, "org_admin");
  await world.join(viktor, own, "org_viewer");
  return [own, await world.newEvent(own, "Far Afield")];
}

await seed(
  harbour,
  { title: "Long ago and closed", state: "closed", severity: "low", created: "2023-02-03T04:05:06.007Z" },
  { title: "Lately, and critical", severity: "critical", assigned: omar },
  { title: "Lately, and resolved", state: "resolved", severity: "critical" },
);
await seed(mill, { title: "At the mill, and critical", severity: "critical" });
await heed.sql(
  `update incidents set assigned_responder_id = $1, first_response_at = '2023-02-03T05:00:00Z', resolved_at = '2023-02-05T00:00:00.100Z'
   where title = 'Long ago and closed'`,
  [omar.id],
);

describe("as CSV", () => {
  test("a report has its ten columns", async () => {
    const lines = await csv();
    const [{ id, created_at: created } = {}] = await heed.sql(
      "select id, created_at from incidents where title = 'At the mill, and critical'",
    );
    const [{ id: old } = {}] = await heed.sql("select id from incidents where title = 'Long ago and closed'");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toEqual({
      id,
      title: "At the mill, and critical",
      status: "submitted",
      severity: "critical",
      event: "Mill Weekend",
      assignedTo: "",
      createdAt: created.toISOString(),
      firstResponseAt: "",
      resolvedAt: "",
      url: `http://localhost:${heed.port}/e/${mill.slug}/i/${id}`,
    });
    expect(lines.at(-1)).toEqual({
      id: old,
      title: "Long ago and closed",
      status: "closed",
      severity: "low",
      event: "Harbour Days",
      assignedTo: "Omar Haddad",
      createdAt: "2023-02-03T04:05:06.007Z",
      firstResponseAt: "2023-02-03T05:00:00.000Z",
      resolvedAt: "2023-02-05T00:00:00.100Z",
      url: `http://localhost:${heed.port}/e/${harbour.slug}/i/${old}`,
    });
  });

  test("with labels it is for people: in their words, by the clock of the event or their own", async () => {
    const [own, event] = await elsewhere();
    await heed.sql("update events set time_zone = 'America/New_York' where id = $1", [event.id]);
    await seed(event, {
      title: "=cmd() in a title",
      state: "resolved",
      severity: "high",
      created: "2026-07-04T22:31:00Z",
    });
    await seed(event, { title: "Sent without a name", created: "2026-07-04T22:00:00Z" });
    const rowsFor = async (person: TestPerson, labels: string) => {
      const { text } = await take(`format=csv&timeRange=all&labels=${labels}`, own, person);
      expect(text.charCodeAt(0)).toBe(0xfeff);
      return Papa.parse<string[]>(text.slice(1), { delimiter: labels === "en" ? "," : ";" }).data;
    };
    const [header, row, rounded] = await rowsFor(viktor, "en");
    expect(header?.slice(0, 7)).toEqual([
      "Report",
      "Status",
      "Severity",
      "Event",
      "Assigned to",
      "Reported (America/New York)",
      "First response (America/New York)",
    ]);
    expect(row?.slice(0, 6)).toEqual([
      "'=cmd() in a title",
      "Resolved",
      "High",
      "Far Afield",
      "",
      "2026-07-04 18:31",
    ]);
    // A time that is rounded to the quarter of an hour is a span.
    expect(rounded?.[5]).toBe("2026-07-04 18:00–18:15");
    await world.as(olga).patch("/api/users/me/profile", { timeZone: "Europe/Berlin" });
    expect((await rowsFor(olga, "de"))[1]?.[5]).toBe("2026-07-05 00:31");
    await world.as(olga).patch("/api/users/me/profile", { timeZone: null });
    expect((await world.as(viktor).get(`${exporting(own)}?format=csv&labels=xx`)).status).toBe(400);
  });

  test("names and titles are no formulas, and without reports it is its header", async () => {
    const [own, event] = await elsewhere();
    expect((await take("format=csv", own)).text).toBe(`${COLUMNS.join(",")}\r\n`);
    const person = await world.person("Plus");
    await heed.sql("update users set name = '+cmd' where id = $1", [person.id]);
    await heed.sql("update events set name = '=Far, \"Afield\"' where id = $1", [event.id]);
    await seed(event, { title: '=HYPERLINK("https://evil.test"), 😀', assigned: person });
    const [line] = await csv("timeRange=all", own);
    expect([line?.title, line?.event, line?.assignedTo]).toEqual([
      `'=HYPERLINK("https://evil.test"), 😀`,
      `'=Far, "Afield"`,
      "'+cmd",
    ]);
  });

  // One batch exactly, and the first of a third.
  test.each([1000, 2001])("%d reports are all there, once each, newest first", async (count) => {
    const [own, event] = await elsewhere();
    // Many of the same moment, so that only the id tells them apart.
    await heed.sql(
      `insert into incidents (event_id, title, description, created_at)
       select $1, 'Report ' || n || ' of many', 'What happened.', now() - interval '1 second' * (n / 700) from generate_series(1, $2::int) n`,
      [event.id, count],
    );
    const expected = await heed.sql<{ id: string }>(
      "select id from incidents where event_id = $1 order by created_at desc, id desc",
      [event.id],
    );
    const lines = await csv("timeRange=all", own);
    expect(lines).toHaveLength(count);
    expect(lines.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    const { text } = await take("format=pdf&timeRange=all", own);
    expect(text.match(/ \| Report \d+ of many \| /g)).toHaveLength(count);
  });
});

test("thousands of reports are streamed as the client reads, without delaying others", async () => {
  const [own, event] = await elsewhere();
  const COUNT = 4000;
  // Long, so that all lines together are more than the system takes in for a client that doesn't read: about 5 MB.
  await heed.sql("update events set name = repeat('🪷', 300) where id = $1", [event.id]);
  await heed.sql(
    `insert into incidents (event_id, title, description, created_at)
     select $1, rpad('Report ' || n || ' of very many', 70, '.'), 'What happened.', now() - interval '1 second' * n from generate_series(1, $2::int) n`,
    [event.id, COUNT],
  );
  // Each report that is handed out is in its own log first.
  const handedOut = () => heed.rows("incident_access", "event_id = $1 and kind = 'export'", [event.id]);
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const headers = { cookie: world.as(viktor).cookie };
    http
      .get(`${heed.url}${exporting(own)}?format=csv&timeRange=all`, { headers }, resolve)
      .on("error", reject);
  });
  expect([answer.statusCode, answer.headers["content-length"]]).toEqual([200, undefined]);
  for (const person of [viktor, olga])
    expect((await world.as(person).get(`/api/organizations/${own.id}/events`)).status).toBe(200);
  expect(await handedOut()).toBeLessThan(COUNT);
  let lines = 0;
  // A part may end within a line's end.
  for await (const part of answer.setEncoding("utf8")) lines += part.split("\n").length - 1;
  expect(lines).toBe(COUNT + 1);
  expect(await handedOut()).toBe(COUNT);
});

describe("a filter", () => {
  const NUMBERS = {
    old: "Long ago and closed",
    open: "Lately, and critical",
    done: "Lately, and resolved",
    mill: "At the mill, and critical",
  };
  const CASES: [query: string, titles: (keyof typeof NUMBERS)[]][] = [
    ["", ["mill", "done", "open"]],
    ["timeRange=all", ["mill", "done", "open", "old"]],
    ["status=closed", []],
    [`severity=critical&eventId=${harbour.id.toUpperCase()}&status=resolved`, ["done"]],
  ];

  // analytics.test.ts has the others.
  test.each(CASES)("%s holds for CSV, text and PDF", async (query, names) => {
    const wanted = names.map((name) => NUMBERS[name]);
    expect((await csv(query)).map(({ title }) => title)).toEqual(wanted);
    const { text } = await take(`format=pdf&${query}`);
    const others = Object.values(NUMBERS).filter((title) => !wanted.includes(title));
    for (const title of wanted) expect(text).toContain(title);
    for (const title of others) expect(text).not.toContain(title);
    expect(text).toContain(`Reports, newest first (${wanted.length})`);
  });

  /** Counts the audit entries of these people; jobs write others at any time. */
  const countAuditEntriesOf = (...people: TestPerson[]) =>
    heed.rows("audit_entries", "actor_id = any($1::uuid[])", [people.map(({ id }) => id)]);

  test("by another organization's event is 404, and exports nothing", async () => {
    const audited = await countAuditEntriesOf(viktor, sam);
    for (const id of [foreignEvent.id, UNKNOWN_ID])
      for (const person of [viktor, sam])
        for (const format of ["csv", "pdf"]) {
          const path = `${exporting(company)}?format=${format}&timeRange=all&eventId=${id}`;
          const reply = await world.as(person).get(path);
          expect(summarizeResponse(reply)).toEqual([404, "NOT_FOUND"]);
          expect(reply.text).not.toContain("other tenant");
        }
    expect(await countAuditEntriesOf(viktor, sam)).toBe(audited);
    // It is there for those whose event it is.
    const theirs = await world
      .as(world.bruno)
      .get(`${exporting(world.foreignOrganization)}?format=csv&eventId=${foreignEvent.id}`);
    expect(linesOf(theirs.text).map(({ title }) => title)).toEqual(["A report of the other tenant"]);
  });
});

test("as text, the default for clients that don't accept PDF, it is a readable report", async () => {
  const ask = { headers: { accept: "text/html" } };
  const { headers, text } = await world.as(viktor).get(`${exporting(company)}?format=pdf&timeRange=all`, ask);
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  for (const one of [maya.id, maya.name, maya.email]) expect(text).not.toContain(one);
  const lines = text.split("\n");
  expect(lines[0]).toBe("Conduct reports: Paper, Ink & Sons");
  expect(text).toMatch(/^Reports +4$/m);
  expect(text).toMatch(/^ +Harbour Days +3 +75\.0%$/m);
  const [row] = await heed.sql("select id from incidents where title = 'Long ago and closed'");
  expect(lines.at(-2)).toMatch(
    /^3 Feb 2023, 04:05 UTC +Closed +Low +Harbour Days \| Long ago and closed \| /,
  );
  expect(lines.at(-2)).toContain(
    `Omar Haddad | http://localhost:${heed.port}/e/${harbour.slug}/i/${row?.id}`,
  );
});

test("as a typeset PDF it holds the numbers and the list, and names no reporter", async () => {
  const path = `${exporting(company)}?format=pdf&timeRange=all`;
  const ask = { headers: { accept: "text/html;q=0.5, application/pdf" } };
  const { status, headers, bytes: pdf } = await world.as(viktor).get(path, ask);
  expect([status, headers["content-type"]]).toEqual([200, "application/pdf"]);
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  expect(pdf.subarray(-8).toString()).toContain("%%EOF");
  const all = extractPdfTexts(pdf).join("\n");
  for (const one of [maya.id, maya.name, maya.email]) expect(all).not.toContain(one);
  expect(pdf.toString("latin1").match(/\/Type \/Page\b(?!s)/g)).toHaveLength(2);
  for (const phrase of ["Paper, Ink & Sons", "Long ago and closed", "At the mill, and critical"])
    expect(all).toContain(phrase);
});

describe("every export", () => {
  const KINDS = [
    ["csv", undefined, "text/csv; charset=utf-8", "csv"],
    ["csv", "application/pdf", "text/csv; charset=utf-8", "csv"],
    ["pdf", undefined, "text/plain; charset=utf-8", "txt"],
    ["pdf", "application/pdf", "application/pdf", "pdf"],
  ] as const;

  test.each(KINDS)("format=%s (Accept: %s) is a private download", async (format, accept, type, ending) => {
    const path = `${exporting(company)}?format=${format}`;
    const nameNow = () =>
      `attachment; filename="heed-reports-${new Date().toISOString().slice(0, 10)}.${ending}"`;
    const before = nameNow();
    const { status, headers } = await world.as(olga).get(path, { headers: { accept } });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe(type);
    // A day may begin meanwhile.
    expect([before, nameNow()]).toContain(headers["content-disposition"]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe("private, no-store");
    expect(headers.vary).toMatch(/\bcookie\b/i);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  test.each(["csv", "pdf"])("format=%s is in the audit log", async (format) => {
    const [own, event] = await elsewhere();
    const query = `format=${format}&timeRange=90d&eventId=${event.id}&status=closed&severity=low`;
    const readers = [viktor, olga, sam];
    for (const person of readers) await take(query, own, person);
    const entries = await heed.sql(
      "select actor_id, action, object_type, object_id, event_id, by_right, data from audit_entries where chain = $1 order by seq",
      [own.id],
    );
    const rights = new Map([
      [viktor, "organization:org_viewer"],
      [olga, "organization:org_admin"],
      [sam, "SystemAdmin"],
    ]);
    const entry = (person: TestPerson) => ({
      actor_id: person.id,
      action: "reports.export",
      object_type: "organization",
      object_id: own.id,
      event_id: event.id,
      by_right: rights.get(person),
      data: { format, timeRange: "90d", eventId: event.id, status: "closed", severity: "low" },
    });
    expect(entries).toEqual(readers.map(entry));
  });
});
