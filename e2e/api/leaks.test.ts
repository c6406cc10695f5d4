import { randomInt } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Role } from "#e2e/api/roles.ts";
import { Caller, filled, ROWS, type Example, type Row } from "#e2e/api/routes.ts";
import { mails, mailsTo } from "#e2e/support/outbox.ts";
import { pdfTexts } from "#e2e/support/pdf-text.ts";
import { startService } from "#e2e/support/service.ts";
import { until } from "#e2e/support/wait.ts";
import { World } from "#e2e/support/world.ts";

/**
 * Whatever the team says among itself is planted with a word of its own, and everything that a Reporter, an org_viewer
 * or a stranger can get is searched for it: every GET route of the table, every page, exports and mails. The same search
 * in the name of the team finds each of them, so that it could fail.
 */

const heed = await startService();
const world = await World.build(heed);
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

type Reader = "maya" | "rita" | "viktor" | "olga" | "nora" | "bruno" | "nobody" | "omar" | "ada";
const STRANGERS: Reader[] = ["rita", "viktor", "olga", "nora", "bruno", "nobody"];

/** Which of the planted words a text holds. */
const found = (texts: string[]): string[] => {
  const all = texts.join("\n");
  return [...INTERNAL, ...REPORTED, ...REMOVED].filter((field) => all.includes(word(field)));
};

describe("the API", () => {
  const GETS = ROWS.filter(({ method }) => method === "GET");

  test("shows a reporter nothing of the team's", async () => {
    expect(found(await everyAnswer("maya")).toSorted()).toEqual(REPORTED.toSorted());
  });

  test.each(STRANGERS)("shows %s nothing of it at all", async (reader) => {
    expect(found(await everyAnswer(reader))).toEqual([]);
  });

  test("shows the team all that there is", async () => {
    expect(found(await everyAnswer("omar")).toSorted()).toEqual([...INTERNAL, ...REPORTED].toSorted());
  });

  test("finds nothing of it for a reporter who searches, nor for a stranger", async () => {
    const search = async (reader: Reader, text: string) => {
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

  /** What every GET route of the table answers, pointed at what was planted, with and without every filter. */
  async function everyAnswer(reader: Reader): Promise<string[]> {
    const texts: string[] = [];
    for (const row of GETS)
      for (const params of plantedParams(row))
        for (const query of QUERIES) texts.push(await answer(reader, row, { params, query }));
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

  async function answer(reader: Reader, row: Row, wanted: { params: Record<string, string>; query: string }) {
    const example = await exampleOf(row, reader);
    const query = [example.query, wanted.query].filter(Boolean).join("&");
    const asked = filled(row.path, { ...caller.params, ...example.params, ...wanted.params }, query);
    return take(reader, asked);
  }

  /** Made once a row: what it makes is not what is looked for. */
  const examples = new Map<Row, Example>();
  async function exampleOf(row: Row, reader: Reader): Promise<Example> {
    const role: Role = row.who.includes(reader) ? reader : caller.allowed(row);
    const made = examples.get(row) ?? (await row.example?.(world, role)) ?? {};
    examples.set(row, made);
    return made;
  }
});

describe("exports", () => {
  const exporting = `/api/organizations/${organization.id}/reports/export`;

  test.each(["csv", "pdf"])("as %s hold titles, and nothing more of a report", async (format) => {
    expect(timesIn(await take("viktor", `${exporting}?format=${format}`))).toBe(1);
  });

  test("as a typeset PDF hold titles, and nothing more of a report", async () => {
    const pdf = await takeBytes("viktor", `${exporting}?format=pdf`, { accept: "application/pdf" });
    expect(Math.max(...pdfTexts(pdf).map(timesIn))).toBe(1);
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
    .map((route) => place(route) || "/")
    .filter((route) => route !== WAY_OUT);

  function place(route: string): string {
    const values = route.startsWith("/orgs/") ? { ...IN_EVENTS, slug: organization.slug } : IN_EVENTS;
    return route.replace(/\[(\w+)\]/g, (_, name: string) => {
      const value = values[name];
      if (!value) throw new Error(`${route}: say here what ${name} names`);
      return value;
    });
  }

  test("are all there", () => {
    expect(PATHS).toEqual(expect.arrayContaining(["/", "/inbox", `/e/${event.slug}/i/${planted.report.id}`]));
  });

  test("show a reporter nothing of the team's", async () => {
    expect(without(REPORTED, found(await everyPage("maya")))).toEqual([]);
    expect(await take("maya", `/e/${event.slug}/i/${planted.report.id}`)).toContain(word("description"));
  });

  test.each(STRANGERS)("show %s nothing of it at all", async (reader) => {
    expect(found(await everyPage(reader))).toEqual([]);
  });

  test("show the team its notes", async () => {
    expect(found(await everyPage("omar"))).toEqual(
      expect.arrayContaining(["note-of-move", "note", "description"]),
    );
  });

  async function everyPage(reader: Reader): Promise<string[]> {
    const texts: string[] = [];
    for (const page of PATHS) {
      texts.push(await take(reader, page));
      // As the browser asks for it when it goes from page to page.
      texts.push(await take(reader, page, { rsc: "1" }));
    }
    return texts;
  }

  const without = (allowed: string[], fields: string[]) => fields.filter((field) => !allowed.includes(field));
});

describe("mails", () => {
  test("hold nothing of it, whoever they are to; not even the title", async () => {
    const none = async (what: string) => (await heed.sql(`select 1 from ${what} limit 1`)).length === 0;
    await until("everything to be told", () => none("untold_facts"));
    await heed.sql("update notifications set mail_due = now() where mail_due is not null");
    await until("the mails to be queued", () => none("notifications where mail_due is not null"));
    await until("the mails to be sent", () => none("graphile_worker._private_jobs where run_at <= now()"));
    for (const person of [maya, omar, ada]) await mailsTo(heed, person.email);
    const texts = mails(heed).flatMap(({ subject, text, links }) => [subject, text, ...links]);
    expect(texts.filter((text) => text.includes(WORD))).toEqual([]);
  });
});

const cookieOf = async (reader: Reader): Promise<string | undefined> =>
  reader === "nobody" ? undefined : world.as(world[reader]).cookie;

async function take(reader: Reader, asked: string, headers: Record<string, string> = {}): Promise<string> {
  return (await takeBytes(reader, asked, headers)).toString("utf8");
}

/** Head and body of an answer, whatever its status. A stream that doesn't end is read to its first count. */
async function takeBytes(
  reader: Reader,
  asked: string,
  headers: Record<string, string> = {},
): Promise<Buffer> {
  const cookie = await cookieOf(reader);
  return new Promise((resolve, reject) => {
    const request = http.get(`${heed.url}${asked}`, { headers: { ...headers, ...(cookie && { cookie }) } });
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
