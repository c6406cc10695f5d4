import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createLetterbox, NEW_DECISION, NEW_LETTERBOX } from "#e2e/api/letterbox-rows.ts";
import type { Client } from "#e2e/support/client.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { countOutcomes, runConcurrently, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { findNeighboringWords } from "#e2e/support/receipt-words.ts";

/** Letterboxes for reported people and witnesses (contract 14.5). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, otherEvent, ada, ines, maya, olga, omar } = world;

const incidentPath = (id: string) => `/api/events/${event.id}/incidents/${id}`;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Opened = { client: Client; incidentId: string; letterboxId: string; code: string; path: string };

async function openLetterbox(): Promise<Opened> {
  const created = await createLetterbox(world);
  const client = heed.visitor();
  expect((await client.post("/api/letterbox/session", { code: created.code })).status).toBe(204);
  const path = `${incidentPath(created.incidentId)}/letterboxes`;
  return { ...created, client, path };
}

const read = async (client: Client) => (await client.get("/api/letterbox")).body.letterbox;
const listAsTeam = async (path: string) => (await world.as(ada).get(path)).body.letterboxes;
const file = async () => ({
  field: "relatedFiles",
  name: "boris-at-home.jpg",
  bytes: await createPhoto(),
  type: "image/jpeg",
});

describe("a letterbox", () => {
  test("stays shut after the quick exit, even if its cookie is still there", async () => {
    const { client } = await openLetterbox();
    const headers = { cookie: `${client.letterbox}; heed_left=1` };
    expect((await client.get("/letterbox")).text).toContain(event.name);
    expect((await client.get("/letterbox", { headers })).text).not.toContain(event.name);
    expect((await client.get("/letterbox/opened", { headers })).text).toBe("");
    expect((await client.get("/api/letterbox", { headers })).status).toBe(401);
    expect((await read(client)).event.name).toBe(event.name);
  });

  test("is created with seven words that are stored nowhere, and a link to enter them", async () => {
    const { id } = await world.report(maya, event);
    const { status, body } = await world.as(omar).post(`${incidentPath(id)}/letterboxes`, NEW_LETTERBOX);
    expect([status, body]).toEqual([
      201,
      {
        letterbox: {
          id: expect.any(String),
          ...NEW_LETTERBOX,
          createdAt: expect.any(String),
          createdBy: { id: omar.id, name: omar.name },
          closedAt: null,
          letters: [],
          files: [],
        },
        code: expect.stringMatching(/^[a-z]+( [a-z]+){6}$/),
        link: expect.stringMatching(/\/letterbox$/),
      },
    ]);
    const [row] = await heed.sql<{ all: string }>(
      "select to_jsonb(l)::text || (select jsonb_agg(a)::text from audit_entries a where a.object_id = l.id) as all from letterboxes l where l.id = $1",
      [body.letterbox.id],
    );
    expect(findNeighboringWords(row?.all ?? body.code, body.code)).toEqual([]);
    const { text } = await world.as(omar).get(`${incidentPath(id)}/letterboxes`);
    expect(text).not.toContain(body.code);
  });

  test("shows letters, decisions and appeals with their day, without names of the team", async () => {
    const { client, letterboxId, path } = await openLetterbox();
    await world.as(omar).post(`${path}/${letterboxId}/letters`, { body: "We’d like to hear from you." });
    const early = await client.post("/api/letterbox/letters", { body: "I appeal.", appeal: true });
    expect(summarizeResponse(early)).toEqual([409, "INVALID_STATE_TRANSITION"]);
    await world.as(ada).post(`${path}/${letterboxId}/decisions`, NEW_DECISION);
    await client.post("/api/letterbox/letters", { body: "I see this differently.", appeal: true });
    const letterbox = await read(client);
    expect(letterbox).toEqual({
      event: { name: event.name },
      kind: "reported_person",
      letters: [
        {
          id: expect.any(String),
          from: "you",
          body: "I see this differently.",
          decision: null,
          appeal: true,
          readOn: null,
          sentOn: expect.stringMatching(DAY),
        },
        {
          id: expect.any(String),
          from: "team",
          body: null,
          decision: NEW_DECISION,
          appeal: false,
          readOn: null,
          sentOn: expect.stringMatching(DAY),
        },
        {
          id: expect.any(String),
          from: "team",
          body: "We’d like to hear from you.",
          decision: null,
          appeal: false,
          readOn: null,
          sentOn: expect.stringMatching(DAY),
        },
      ],
      pagination: { page: 1, limit: 50, total: 3, totalPages: 1 },
      measures: [
        {
          letterId: expect.any(String),
          measure: NEW_DECISION.measure,
          endsOn: NEW_DECISION.measureEndsOn,
          hasEnded: false,
        },
      ],
      files: [],
    });
    const [seen] = await listAsTeam(path);
    expect(seen.letters.map(({ from, author }: any) => [from, author?.id ?? null])).toEqual([
      ["holder", null],
      ["team", ada.id],
      ["team", omar.id],
    ]);
    expect(seen.letters[0].sentAt).toMatch(/T00:00:00\.000Z$/);
  });

  test("records that a letter was read on a day, once", async () => {
    const { client, letterboxId, path } = await openLetterbox();
    await world.as(omar).post(`${path}/${letterboxId}/letters`, { body: "Please confirm this one." });
    const [letter] = (await read(client)).letters;
    for (let time = 0; time < 2; time += 1)
      expect((await client.post("/api/letterbox/reading", { letterId: letter.id })).status).toBe(204);
    expect((await read(client)).letters[0].readOn).toMatch(DAY);
    const entries = await heed.sql(
      "select actor_id, by_right, request_id from audit_entries where object_id = $1 and action = 'letterbox.confirmReading'",
      [letterboxId],
    );
    expect(entries).toEqual([{ actor_id: null, by_right: "letterbox", request_id: null }]);
    const other = await openLetterbox();
    expect((await other.client.post("/api/letterbox/reading", { letterId: letter.id })).status).toBe(404);
  });

  test("dates what its holder does with the day in the history, too", async () => {
    const { client, incidentId, letterboxId, path } = await openLetterbox();
    await world.as(omar).post(`${path}/${letterboxId}/letters`, { body: "Please confirm this one." });
    const [letter] = (await read(client)).letters;
    await client.post("/api/letterbox/reading", { letterId: letter.id });
    await client.post("/api/letterbox/letters", { body: "I was elsewhere." });
    await client.post("/api/letterbox/files", buildForm({}, await file()));
    const { history } = (await world.as(ada).get(`${incidentPath(incidentId)}/history`)).body;
    const ofHolder = history.filter(({ action }: { action: string }) =>
      ["letterbox.read", "letterbox.received"].includes(action),
    );
    expect(ofHolder).toHaveLength(3);
    for (const { createdAt } of ofHolder) expect(createdAt).toMatch(/T00:00:00\.000Z$/);
  });

  test("lists what its holder does after what it follows, though its time is only its day", async () => {
    const { client, incidentId, letterboxId, path } = await openLetterbox();
    await world.as(omar).patch(`${incidentPath(incidentId)}/severity`, { severity: "high" });
    await world.as(ada).post(`${path}/${letterboxId}/decisions`, NEW_DECISION);
    await client.post("/api/letterbox/letters", { body: "I appeal.", appeal: true });
    await client.post("/api/letterbox/letters", { body: "And one more thing." });
    await world.as(ada).post(`${path}/${letterboxId}/letters`, { body: "We look at it again." });
    const list = async (order: string) =>
      (await world.as(ada).get(`${incidentPath(incidentId)}/history?order=${order}`)).body.history
        .filter(({ action }: { action: string }) => action.startsWith("letterbox."))
        .map(({ action, to }: { action: string; to: string }) => [action, to]);
    const expected = [
      ["letterbox.created", "reported_person"],
      ["letterbox.sent", "decision"],
      ["letterbox.received", "appeal"],
      ["letterbox.received", "message"],
      ["letterbox.sent", "message"],
    ];
    expect(await list("asc")).toEqual(expected);
    expect(await list("desc")).toEqual(expected.toReversed());
  });

  test("gets a new code, and the old one opens nothing any more, on no device", async () => {
    const { client, code, incidentId, letterboxId, path } = await openLetterbox();
    await world.as(omar).post(`${path}/${letterboxId}/letters`, { body: "We’d like to hear from you." });
    const renewed = await world.as(ada).post(`${path}/${letterboxId}/code`);
    expect([renewed.status, Object.keys(renewed.body)]).toEqual([201, ["letterbox", "code", "link"]]);
    expect(renewed.body.code).not.toBe(code);
    expect(summarizeResponse(await client.get("/api/letterbox"))).toEqual([401, "UNAUTHENTICATED"]);
    expect((await client.post("/api/letterbox/letters", { body: "Still here?" })).status).toBe(401);
    const again = heed.visitor();
    expect((await again.post("/api/letterbox/session", { code })).status).toBe(404);
    expect((await again.post("/api/letterbox/session", { code: renewed.body.code })).status).toBe(204);
    expect((await read(again)).letters).toMatchObject([{ body: "We’d like to hear from you." }]);
    const { history } = (await world.as(ada).get(`${incidentPath(incidentId)}/history`)).body;
    expect(history).toContainEqual(
      expect.objectContaining({ action: "letterbox.renewed", actor: { id: ada.id, name: ada.name } }),
    );
    const entries = await heed.sql(
      "select action from audit_entries where object_id = $1 and actor_id = $2",
      [letterboxId, ada.id],
    );
    expect(entries).toContainEqual({ action: "letterbox.renewCode" });
    await world.as(ada).delete(`${path}/${letterboxId}`);
    expect(summarizeResponse(await world.as(ada).post(`${path}/${letterboxId}/code`))).toEqual([
      409,
      "CONFLICT",
    ]);
  });

  test("takes files without their names, for its holder and the team alone", async () => {
    const { client, incidentId, letterboxId, path } = await openLetterbox();
    expect((await client.post("/api/letterbox/files", buildForm({}, await file()))).status).toBe(204);
    const [added] = (await read(client)).files;
    expect(added).toEqual({
      id: expect.any(String),
      filename: expect.not.stringContaining("boris"),
      mimetype: "image/jpeg",
      size: expect.any(Number),
      sentOn: expect.stringMatching(DAY),
    });
    expect((await client.get(`/api/letterbox/files/${added.id}/download`)).status).toBe(200);
    expect((await world.as(omar).get(`${path}/${letterboxId}/files/${added.id}/download`)).status).toBe(200);

    const ofIncident = `${incidentPath(incidentId)}/related-files/${added.id}`;
    expect((await world.as(maya).get(`${ofIncident}/download`)).status).toBe(404);
    expect((await world.as(omar).get(`${ofIncident}/download`)).status).toBe(404);
    expect((await world.as(omar).patch(ofIncident, { visibleToReporter: true })).status).toBe(404);
    for (const person of [maya, omar]) {
      const { body } = await world.as(person).get(incidentPath(incidentId));
      expect(body.incident.relatedFiles).toEqual([]);
    }
    const other = await openLetterbox();
    expect((await other.client.get(`/api/letterbox/files/${added.id}/download`)).status).toBe(404);
  });

  test("says that both were sent where files come with a letter, and only the letter otherwise", async () => {
    const { client } = await openLetterbox();
    const send = async (...files: Awaited<ReturnType<typeof file>>[]) => {
      const opened = (await client.get("/letterbox/opened")).text;
      const fields = { ticket: randomUUID(), messageTicket: randomUUID(), body: "I wasn't there.", opened };
      const form = buildForm({ ...fields, sends: "message" }, ...files);
      const { headers } = await client.post("/letterbox/add", form, { opensMailbox: true });
      return (await client.get(headers.location?.split("#")[0] ?? "")).text;
    };
    expect(await send(await file())).toContain("Your letter and your files were sent.");
    expect(await send()).toContain("Your letter was sent.");
  });

  test("is closed for good, on every device", async () => {
    const { client, code, letterboxId, path } = await openLetterbox();
    const { body } = await world.as(ada).delete(`${path}/${letterboxId}`);
    expect(body.letterbox.closedAt).toEqual(expect.any(String));
    expect((await client.get("/api/letterbox")).status).toBe(401);
    expect((await client.post("/api/letterbox/letters", { body: "Too late." })).status).toBe(401);
    expect((await heed.visitor().post("/api/letterbox/session", { code })).status).toBe(404);
    const refused = await world.as(ada).post(`${path}/${letterboxId}/letters`, { body: "Anybody there?" });
    expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
  });

  test.each(["2030-02-30", "1899-12-31", "2030-05-31T10:00:00Z", "soon", 20_300_531])(
    "refuses a measure that ends on %s, and says what a day looks like",
    async (measureEndsOn) => {
      const { path, letterboxId } = await openLetterbox();
      const decision = { ...NEW_DECISION, measureEndsOn };
      const reply = await world.as(ada).post(`${path}/${letterboxId}/decisions`, decision);
      expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
      expect(reply.body.details).toBe(
        "measureEndsOn: must be a date such as 2026-11-21, between 1900 and 2100",
      );
    },
  );

  test("notifies the team without content, and the reporter of nothing", async () => {
    const { client, incidentId } = await openLetterbox();
    await waitUntil("the news of the report", async () => (await heed.rows("outbox_events")) === 0);
    await heed.sql("delete from notifications where incident_id = $1", [incidentId]);
    await client.post("/api/letterbox/letters", { body: "LANTERN in a letter." });
    const findNotices = () =>
      heed.sql<{ user_id: string; kind: string; row: string }>(
        "select user_id, kind, to_jsonb(n)::text as row from notifications n where incident_id = $1",
        [incidentId],
      );
    await waitUntil("a notification", async () => (await findNotices()).length > 0);
    const notices = await findNotices();
    expect(new Set(notices.map(({ kind }) => kind))).toEqual(new Set(["letter.received"]));
    expect(notices.map(({ user_id }) => user_id)).not.toContain(maya.id);
    expect(notices.map(({ row }) => row).join()).not.toContain("LANTERN");
  });
});

describe("what a holder sends again under its key", () => {
  const under = () => ({ headers: { "idempotency-key": randomUUID() } });
  const replayed = (reply: { headers: Record<string, unknown> }) => reply.headers["idempotent-replayed"];
  const countLetters = (id: string) => heed.rows("letters", "letterbox_id = $1", [id]);

  test("is one letter, however often and at once it is sent", async () => {
    const { client, letterboxId } = await openLetterbox();
    const key = under();
    const send = (appeal = false) =>
      client.post("/api/letterbox/letters", { body: "I was elsewhere.", appeal }, key);
    const replies = await runConcurrently(8, () => send());
    expect(countOutcomes(replies)).toEqual({ 204: 8 });
    expect(replies.filter((reply) => replayed(reply) === "true")).toHaveLength(7);
    expect(summarizeResponse(await send(true))).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await countLetters(letterboxId)).toBe(1);
  });

  test("is one set of files", async () => {
    const { client, letterboxId } = await openLetterbox();
    const [photo, key] = [await file(), under()];
    for (const expected of [undefined, "true"]) {
      const reply = await client.post("/api/letterbox/files", buildForm({}, photo), key);
      expect([reply.status, replayed(reply)]).toEqual([204, expected]);
    }
    expect(await heed.rows("related_files", "letterbox_id = $1", [letterboxId])).toBe(1);
  });

  test("belongs to its letterbox, is dated with the day, and is forgotten after that day and another", async () => {
    const [one, other] = [await openLetterbox(), await openLetterbox()];
    const key = under();
    const send = ({ client }: Opened) => client.post("/api/letterbox/letters", { body: "Hello." }, key);
    for (const opened of [one, other]) expect(replayed(await send(opened))).toBe(undefined);
    const [row] = await heed.sql(
      "select created_at = date_trunc('day', now(), 'UTC') as day, incident_id from mailbox_keys where letterbox_id = $1",
      [one.letterboxId],
    );
    expect(row).toEqual({ day: true, incident_id: null });
    const age = (interval: string) =>
      heed.sql(
        `update mailbox_keys set created_at = date_trunc('day', now(), 'UTC') - interval '${interval}'`,
      );
    await age("24 hours");
    expect(replayed(await send(one))).toBe("true");
    await age("48 hours");
    expect(replayed(await send(one))).toBe(undefined);
    expect(await countLetters(one.letterboxId)).toBe(2);
  });
});

describe("what nobody else learns", () => {
  test("the holder sees nothing of the report, its people, or another letterbox", async () => {
    const { client, incidentId, letterboxId, path } = await openLetterbox();
    await world.as(omar).post(`${incidentPath(incidentId)}/comments`, {
      body: "LANTERN note",
      visibility: "internal",
    });
    await world.as(omar).post(`${incidentPath(incidentId)}/comments`, {
      body: "LANTERN message",
      visibility: "public",
    });
    const second = (await world.as(omar).post(path, { kind: "witness", label: "LANTERN witness" })).body;
    await world.as(omar).post(`${path}/${second.letterbox.id}/letters`, { body: "LANTERN letter" });
    await world.as(omar).post(`${path}/${letterboxId}/letters`, { body: "For you." });
    const { text } = await client.get("/api/letterbox");
    const { body } = await world.as(ada).get(incidentPath(incidentId));
    const { title, description, id } = body.incident;
    const page = await client.get("/letterbox", { headers: { accept: "text/html" } });
    for (const seen of [text, page.text])
      for (const secret of [
        "LANTERN",
        title,
        description,
        id,
        NEW_LETTERBOX.label,
        maya.name,
        omar.name,
        omar.id,
      ])
        expect(seen).not.toContain(secret);
    expect(text).not.toMatch(/T\d\d:\d\d/);
  });

  test("the reporter sees no letterbox, letter or change", async () => {
    const { client, incidentId, letterboxId, path } = await openLetterbox();
    const readRow = async () =>
      (
        await Promise.all(
          ["", "/history", "/comments", "/access"].map((part) =>
            world.as(maya).get(`${incidentPath(incidentId)}${part}`),
          ),
        )
      ).map(({ text }) => text.replace(/"readBy":\d+/, ""));
    const before = await readRow();
    await world.as(omar).post(`${path}/${letterboxId}/letters`, { body: "Something." });
    await client.post("/api/letterbox/letters", { body: "Something else." });
    await client.post("/api/letterbox/files", buildForm({}, await file()));
    expect(await readRow()).toEqual(before);
    for (const part of ["", `/${letterboxId}`])
      expect((await world.as(maya).get(`${path}${part}`)).status).not.toBe(200);
    expect((await world.as(maya).get(path)).status).toBe(403);
  });

  test("a letterbox of another incident, event or tenant isn't found", async () => {
    const { letterboxId } = await openLetterbox();
    const { id } = await world.report(maya, event);
    const wrong = `${incidentPath(id)}/letterboxes/${letterboxId}/letters`;
    expect((await world.as(omar).post(wrong, { body: "Hello." })).status).toBe(404);
    const elsewhere = `/api/events/${otherEvent.id}/incidents/${id}/letterboxes`;
    expect((await world.as(ines).get(elsewhere)).status).toBe(404);
    expect((await world.as(olga).get(`${incidentPath(id)}/letterboxes`)).status).toBe(403);
    const unknown = `${incidentPath(id)}/letterboxes/${randomUUID()}/letters`;
    expect((await world.as(omar).post(unknown, { body: "Hello." })).status).toBe(404);
  });

  test("a session, a receipt and the cookie of a mailbox open no letterbox", async () => {
    const { code } = await openLetterbox();
    expect((await world.as(omar).get("/api/letterbox")).status).toBe(401);
    expect((await heed.visitor().post("/api/mailbox/session", { receipt: code })).status).toBe(404);
    const sender = heed.visitor();
    const report = { title: "Shouted at beside the stairs", description: "An hour ago.", openMailbox: true };
    const { body } = await sender.post(`/api/events/slug/${event.slug}/anonymous-reports`, report, {
      opensMailbox: true,
    });
    expect((await heed.visitor().post("/api/letterbox/session", { code: body.receipt })).status).toBe(404);
    const cookie = (sender.mailbox ?? "").replace("mailbox=", "letterbox=");
    expect((await heed.visitor().get("/api/letterbox", { headers: { cookie } })).status).toBe(401);
  });
});
