import { randomInt, randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readDeclaredQueries } from "#e2e/api/declared-queries.ts";
import { isGeneralPage } from "#e2e/api/general-pages.ts";
import type { Role } from "#e2e/api/roles.ts";
import { Caller, fillPath, ROWS, type Example, type Row } from "#e2e/api/routes.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { readMails, waitForMails } from "#e2e/support/outbox.ts";
import { extractPdfTexts } from "#e2e/support/pdf-text.ts";
import { shareService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type PlaceRef } from "#e2e/support/world.ts";

/**
 * Whatever the team says among itself is planted with a word of its own, and everything that a Reporter, an org_viewer
 * or a stranger can get is searched for it: every GET route of the table, every page, exports and mails. The same search
 * in the name of the team finds each of them, so that it could fail.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, omar, organization } = world;
const caller = await Caller.over(world);

/** Digits, since letters may be joined to others when a PDF is set; short, so that it stays on one line there. */
const WORD = `zq${randomInt(1e7, 9e7)}`;
const word = (field: string) => `${WORD}-${field}`;

/** For the team's eyes only. */
const INTERNAL = [
  "note-of-move",
  "note-of-reopening",
  "note",
  "note-before-edit",
  "note-with-mention",
  "message-before-edit",
  "file-name",
  "file-description",
];
/** For the team, and for the reporter whose words they are. */
const REPORTED = ["description", "location", "parties", "message"];
/** Gone for everybody. */
const REMOVED = ["note-removed", "message-removed"];

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

const planted = await plant();

async function plant() {
  const report = await world.report(maya, event, {
    title: `A report called ${WORD}`,
    description: word("description"),
    location: word("location"),
    parties: word("parties"),
  });
  await world.move(report, "investigating", { notes: word("note-of-move") });
  await world.move(report, "closed");
  const at = (rest: string) => `/api/events/${event.id}/incidents/${report.id}/${rest}`;
  await world.as(omar).patch(at("reopen"), { notes: word("note-of-reopening"), assignedToUserId: ada.id });
  const say = async (visibility: string, body: string): Promise<string> =>
    (await world.as(omar).post(at("comments"), { visibility, body })).body.comment.id;
  const edit = (id: string, body: string) => world.as(omar).patch(at(`comments/${id}`), { body });
  await say("internal", `@${ada.name} ${word("note-with-mention")}`);
  const note = await say("internal", word("note-before-edit"));
  await edit(note, word("note"));
  const message = await say("public", word("message-before-edit"));
  await edit(message, word("message"));
  for (const visibility of ["internal", "public"]) {
    const id = await say(visibility, word(visibility === "internal" ? "note-removed" : "message-removed"));
    await world.as(omar).delete(at(`comments/${id}`));
  }
  return { report, note, message, file: await teamFile(report.id) };
}

/** As the team keeps a file to itself. */
async function teamFile(incidentId: string): Promise<string> {
  const [row] = await heed.sql<{ id: string }>(
    `with f as (
       insert into related_files (incident_id, event_id, filename, description, mimetype, size, sha256, storage_key,
         visible_to_reporter, uploaded_by_id)
       values ($1, $2, $3, $4, 'text/plain', 1, '', gen_random_uuid()::text, false, $5) returning id, filename)
     insert into incident_history (incident_id, event_id, actor_id, action, to_value, object_id)
     select $1, $2, $5, 'file.added', filename, id from f returning object_id as id`,
    [incidentId, event.id, `${word("file-name")}.txt`, word("file-description"), omar.id],
  );
  return row?.id ?? "";
}

const STRANGERS: Role[] = ["rita", "viktor", "olga", "nora", "bruno", "nobody"];

/** Which of the planted words a text holds. */
const found = (texts: string[]): string[] => {
  const all = texts.join("\n");
  return [...INTERNAL, ...REPORTED, ...REMOVED].filter((field) => all.includes(word(field)));
};

const GETS = ROWS.filter(({ method }) => method === "GET");
const keepDeclared = await readDeclaredQueries(heed);

/** Made once a row: what it makes is not what is looked for. */
const examples = new Map<Row, Example>();
async function exampleOf(row: Row, reader: Role): Promise<Example> {
  const role: Role = row.who.includes(reader) ? reader : caller.allowed(row);
  const made = examples.get(row) ?? (await row.example?.(world, role)) ?? {};
  examples.set(row, made);
  return made;
}

describe("the API", () => {
  test("shows a reporter none of the team's content", async () => {
    expect(found(await everyAnswer("maya")).toSorted()).toEqual(REPORTED.toSorted());
  });

  test.each(STRANGERS)("shows %s none of a report's content", async (reader) => {
    expect(found(await everyAnswer(reader))).toEqual([]);
  });

  test("shows the team all content", async () => {
    expect(found(await everyAnswer("omar")).toSorted()).toEqual([...INTERNAL, ...REPORTED].toSorted());
  });

  test("finds no team content in searches by a reporter or a stranger", async () => {
    const search = async (reader: Role, text: string) => {
      const lists = [`/api/events/slug/${event.slug}/incidents`, "/api/users/me/incidents"];
      const texts = await Promise.all(lists.map((list) => take(reader, `${list}?search=${text}`)));
      return texts.map((answer) => JSON.parse(answer).pagination?.total ?? 0);
    };
    for (const field of [...INTERNAL, ...REMOVED])
      expect(await search("maya", word(field)), field).toEqual([0, 0]);
    for (const reader of STRANGERS.filter((one) => one !== "nobody"))
      expect(await search(reader, word("description")), reader).toEqual([0, 0]);
    expect(await search("maya", word("description"))).toEqual([1, 1]);
  });

  /** What every GET route of the table responds, pointed at what was planted, with and without every filter. */
  async function everyAnswer(reader: Role): Promise<string[]> {
    const texts: string[] = [];
    // Searches of strangers have a test of their own.
    const queries = STRANGERS.includes(reader) ? ["", ABOUT_IT] : QUERIES;
    for (const row of GETS)
      for (const params of plantedParams(row))
        for (const query of keepDeclared(row, queries))
          texts.push(await answer(reader, row, { params, query }));
    return texts;
  }

  const ABOUT_IT = `incidentId=${planted.report.id}&ids=${planted.report.id}&limit=100`;
  const QUERIES = ["", "visibility=internal&kind=notes&limit=100", `search=${WORD}&limit=100`, ABOUT_IT];

  function plantedParams({ path: route }: Row): Record<string, string>[] {
    const { report, file, note, message } = planted;
    const params = { incidentId: report.id, fileId: file };
    return route.includes(":commentId")
      ? [note, message].map((commentId) => ({ ...params, commentId }))
      : [params];
  }

  async function answer(reader: Role, row: Row, wanted: { params: Record<string, string>; query: string }) {
    const example = await exampleOf(row, reader);
    const query = [example.query, wanted.query].filter(Boolean).join("&");
    const requestPath = fillPath(row.path, { ...caller.params, ...example.params, ...wanted.params }, query);
    return take(reader, requestPath);
  }
});

describe("exports", () => {
  const exporting = `/api/organizations/${organization.id}/reports/export`;

  test.each(["csv", "pdf"])("as %s hold titles, and nothing more of a report", async (format) => {
    expect(timesIn(await take("viktor", `${exporting}?format=${format}`))).toBe(1);
  });

  test("as a typeset PDF hold titles, and nothing more of a report", async () => {
    const pdf = await takeBytes("viktor", `${exporting}?format=pdf`, { accept: "application/pdf" });
    expect(Math.max(...extractPdfTexts(pdf).map(timesIn))).toBe(1);
    expect(timesIn(pdf.toString("latin1"))).toBe(0);
  }, 120_000);
});

const timesIn = (text: string) => text.split(WORD).length - 1;

describe("pages", () => {
  const ROOT = path.resolve(import.meta.dirname, "../../app");
  const IN_EVENTS: Record<string, string> = {
    slug: event.slug,
    id: planted.report.id,
    code: "unknown-code",
    token: "unknown-token",
    group: "incidents",
    name: "clients.md",
    userId: maya.id,
    inviteId: UNKNOWN_ID,
    webhookId: UNKNOWN_ID,
  };

  /** Ends the session of whoever goes there, and shows nothing. */
  const WAY_OUT = "/leave";

  /** Every page, and every route beside the API, at the place of what was planted. */
  const PATHS = fs
    .readdirSync(ROOT, { recursive: true })
    .map((file) => String(file).replaceAll(path.sep, "/"))
    .filter((file) => /(^|\/)(page\.tsx|route\.ts)$/.test(file) && !file.startsWith("api/"))
    .map((file) => `/${path.dirname(file)}/`.replace(/\/\(\w+\)/g, "").replace(/\/\.?\/?$/, ""))
    .map((route) => toPattern(route) || "/")
    .filter((route) => route !== WAY_OUT);

  function toPattern(route: string): string {
    const values = route.startsWith("/orgs/") ? { ...IN_EVENTS, slug: organization.slug } : IN_EVENTS;
    return route.replace(/\[(\w+)\]/g, (_, name: string) => {
      const value = values[name];
      if (!value) throw new Error(`${route}: say here what ${name} names`);
      return value;
    });
  }

  test("all exist", () => {
    expect(PATHS).toEqual(expect.arrayContaining(["/", "/inbox", `/e/${event.slug}/i/${planted.report.id}`]));
  });

  test("show a reporter none of the team's content", async () => {
    expect(without(REPORTED, found(await everyPage("maya")))).toEqual([]);
    expect(await take("maya", `/e/${event.slug}/i/${planted.report.id}`)).toContain(word("description"));
  });

  // To pages, nora is as much a stranger as bruno, and viktor may see less than olga.
  test.each(STRANGERS.filter((one) => one !== "nora" && one !== "viktor"))(
    "show %s none of a report's content",
    async (reader) => {
      expect(found(await everyPage(reader))).toEqual([]);
    },
  );

  test("show the team its notes", async () => {
    const incident = `/e/${event.slug}/i/${planted.report.id}`;
    const pages = [await take("omar", incident), await take("omar", `${incident}?page=2`)];
    expect(found(pages)).toEqual(expect.arrayContaining(["note-of-move", "note", "description"]));
    expect(found([await takeData("omar", incident)])).toEqual(
      expect.arrayContaining(["note", "description"]),
    );
  });

  async function everyPage(reader: Role): Promise<string[]> {
    const texts: string[] = [];
    const pages = reader === "maya" ? PATHS : PATHS.filter((page) => !isGeneralPage(page));
    const read = reader === "maya" ? take : takeData;
    for (const page of pages) texts.push(await read(reader, page));
    return texts;
  }

  /**
   * As the browser asks for a page when it goes from page to page: only the data that the page holds and is rendered from.
   * Without the parameter, the framework redirects.
   */
  const takeData = (reader: Role, page: string) => take(reader, `${page}?_rsc`, { rsc: "1" });

  const without = (allowed: string[], fields: string[]) => fields.filter((field) => !allowed.includes(field));
});

describe("mails", () => {
  test("hold no content of a report, not even the title, whoever gets them", async () => {
    const none = async (what: string) => (await heed.sql(`select 1 from ${what} limit 1`)).length === 0;
    await waitUntil("an empty outbox", () => none("outbox_events"));
    await heed.sql("update notifications set mail_due = now() where mail_due is not null");
    await waitUntil("the mails to be queued", () => none("notifications where mail_due is not null"));
    await waitUntil(
      "the mails to be sent",
      () =>
        // The examples' webhooks reach nothing, so their deliveries are retried at any time.
        none(
          `graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
           where t.identifier like 'mail.%' and run_at <= now()`,
        ),
      // Those of all files of this worker.
      90_000,
    );
    for (const person of [maya, omar, ada]) await waitForMails(heed, person.email);
    const texts = readMails(heed).flatMap(({ subject, text, links }) => [subject, text, ...links]);
    expect(texts.filter((text) => text.includes(WORD))).toEqual([]);
  });
});

describe("the other tenant", () => {
  const { berta, boris, foreignEvent, foreignOrganization, otherEvent, ines, olga, rita, viktor } = world;
  const OURS = [
    ...[organization, event, otherEvent].flatMap(({ id, slug, name }) => [id, slug, name]),
    ...[maya, rita, omar, ada, ines, olga, viktor].flatMap(({ id, name, email }) => [id, name, email]),
    planted.report.id,
    planted.report.title,
  ];
  const SEARCHES = ["limit=100", "search=a&limit=100", "search=%25", "search=", "page=2"];
  const oursIn = (texts: string[]) => OURS.filter((one) => texts.some((text) => text.includes(one)));

  const placed = (places: {
    organization: PlaceRef;
    event: PlaceRef;
    incidentId: string;
    userId: string;
  }) => ({
    ...caller.params,
    organizationId: places.organization.id,
    orgSlug: places.organization.slug,
    eventId: places.event.id,
    slug: places.event.slug,
    incidentId: places.incidentId,
    userId: places.userId,
  });

  /** What every GET route responds at these places, the lists also by each search and on their second page. */
  async function wideReads(reader: Role, params: Record<string, string>, searches = SEARCHES) {
    const texts: string[] = [];
    for (const row of GETS) {
      const { query } = await exampleOf(row, reader);
      for (const search of keepDeclared(row, searches))
        texts.push(await take(reader, fillPath(row.path, params, [search, query].filter(Boolean).join("&"))));
    }
    return texts;
  }

  test.each(["bruno", "berta"] as const)("finds no data of ours as %s", async (reader) => {
    const { id } = await world.report(boris, foreignEvent);
    const theirs = { organization: foreignOrganization, event: foreignEvent };
    const texts = await wideReads(reader, placed({ ...theirs, incidentId: id, userId: berta.id }));
    expect(texts.join()).toContain(reader === "bruno" ? foreignOrganization.id : id);
    expect(oursIn(texts)).toEqual([]);
  });

  test("searches for values that our own people do find", async () => {
    const own = placed({ organization, event, incidentId: planted.report.id, userId: omar.id });
    const texts = (
      await Promise.all((["olga", "ada"] as const).map((one) => wideReads(one, own, ["limit=100"])))
    ).flat();
    texts.push(await take("ines", `/api/events/${otherEvent.id}/users`));
    expect(OURS.filter((one) => !oursIn(texts).includes(one))).toEqual([]);
  });
});

describe("an anonymous report", async () => {
  const sender = await world.person("Quentin Halloway", { events: [[event, "Reporter"]] });
  const SENDER = [sender.id, sender.name, sender.email];
  const { id, fileId } = await sent();

  async function sent(): Promise<{ id: string; fileId: string }> {
    const fields = { title: "A report sent without a name", description: "Look here.", anonymous: "true" };
    const body = buildForm(fields, { name: "seen.txt", bytes: "What I saw." });
    // Under a key, by which it could be sent again.
    const headers = { "idempotency-key": randomUUID() };
    const path = `/api/events/${event.id}/incidents`;
    const { incident } = (await world.as(sender).post(path, body, { headers })).body;
    const at = `/api/events/${event.id}/incidents/${incident.id}`;
    await world.as(omar).post(`${at}/comments`, { visibility: "public", body: "To whoever wrote this." });
    await world.as(omar).patch(`${at}/state`, { state: "closed", notes: "Seen." });
    const files = (await world.as(omar).get(`${at}/related-files`)).body.relatedFiles;
    return { id: incident.id, fileId: files[0].id };
  }

  test("is in no row of any table together with its sender", async () => {
    const tables = await heed.sql<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker')`,
    );
    expect(tables.length).toBeGreaterThan(30);
    for (const { name } of tables)
      for (const one of [id, fileId])
        for (const trace of SENDER)
          expect(
            await heed.rows(`${name} t`, "strpos(t::text, $1) > 0 and strpos(t::text, $2) > 0", [one, trace]),
            name,
          ).toBe(0);
  });

  test.each(["ada", "omar", "sam", "olga", "viktor", "rita"] as const)(
    "doesn't reveal its sender to %s",
    async (reader) => {
      const seen: string[] = [];
      for (const row of GETS) {
        const text = await answer(reader, row, { incidentId: id, fileId });
        if (row.path.includes(":incidentId")) expect(SENDER.filter((one) => text.includes(one))).toEqual([]);
        for (const part of partsNaming(id, text)) {
          seen.push(row.path);
          expect(
            SENDER.filter((one) => part.includes(one)),
            `${row.path}: ${part}`,
          ).toEqual([]);
        }
      }
      if (["ada", "omar", "sam"].includes(reader)) expect(new Set(seen).size).toBeGreaterThan(10);
    },
  );

  test("isn't in any data about its sender, nor in the sender's own data", async () => {
    const responses: string[] = [];
    for (const row of GETS.filter(({ path: route }) => route.includes(":userId")))
      responses.push(await answer("sam", row, { userId: sender.id }));
    expect(responses.join()).toContain(sender.id);
    const own = ROWS.filter(
      ({ method, path: route }) => method === "GET" && route.startsWith("/api/users/me"),
    );
    for (const row of own) {
      const { query } = await exampleOf(row, "maya");
      responses.push((await world.as(sender).get(fillPath(row.path, caller.params, query))).text);
    }
    expect(responses.filter((text) => text.includes(id))).toEqual([]);
  });

  async function answer(reader: Role, row: Row, wanted: Record<string, string>): Promise<string> {
    const { params, query } = await exampleOf(row, reader);
    const declaredQuery = [query, ...keepDeclared(row, ["limit=100"])].filter(Boolean).join("&");
    return take(reader, fillPath(row.path, { ...caller.params, ...params, ...wanted }, declaredQuery));
  }

  /** The smallest objects that name the incident by one of their members; of what is no JSON, the lines. */
  function partsNaming(named: string, text: string): string[] {
    const body = text.slice(text.indexOf("{"));
    const lines = () => text.split("\n").filter((line) => line.includes(named));
    const within = (value: unknown): string[] => {
      if (!value || typeof value !== "object") return [];
      const members = Object.values(value);
      return [...(members.includes(named) ? [JSON.stringify(value)] : []), ...members.flatMap(within)];
    };
    try {
      return within(JSON.parse(body));
    } catch {
      return lines();
    }
  }
});

const cookieOf = async (reader: Role): Promise<string | undefined> =>
  reader === "nobody" ? undefined : world.as(world[reader]).cookie;

async function take(
  reader: Role,
  requestPath: string,
  headers: Record<string, string> = {},
): Promise<string> {
  return (await takeBytes(reader, requestPath, headers)).toString("utf8");
}

/** Head and body of a response, whatever its status. A stream that doesn't end is read to its first count. */
async function takeBytes(
  reader: Role,
  requestPath: string,
  headers: Record<string, string> = {},
): Promise<Buffer> {
  const cookie = await cookieOf(reader);
  return new Promise((resolve, reject) => {
    const request = http.get(`${heed.url}${requestPath}`, {
      headers: { ...headers, ...(cookie && { cookie }) },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      const done = () => resolve(Buffer.concat(chunks));
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", done);
      response.on("error", reject);
      if (!/event-stream/.test(response.headers["content-type"] ?? "")) return;
      response.on("data", () => {
        if (!/^event: notification\n[^]*?\n\n/m.test(Buffer.concat(chunks).toString("utf8"))) return;
        response.removeAllListeners("error").on("error", () => undefined);
        done();
        request.destroy();
      });
    });
  });
}
