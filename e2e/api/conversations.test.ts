import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createConversation, NEW_DECISION, NEW_CONVERSATION } from "#e2e/api/conversation-rows.ts";
import type { Client } from "#e2e/support/client.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { findNeighboringWords } from "#e2e/support/receipt-words.ts";

/** Conversations for reported people and witnesses (contract 14.5). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, otherEvent, ada, ines, maya, olga, omar } = world;

const incidentPath = (id: string) => `/api/events/${event.id}/incidents/${id}`;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Opened = { client: Client; incidentId: string; conversationId: string; words: string; path: string };

async function openConversation(): Promise<Opened> {
  const created = await createConversation(world);
  const client = heed.visitor();
  expect((await client.post("/api/mailbox/session", { words: created.words })).status).toBe(204);
  const path = `${incidentPath(created.incidentId)}/conversations`;
  return { ...created, client, path };
}

const read = async (client: Client) => (await client.get("/api/mailbox")).body.mailbox;
/** A message as the person sees it: no name, and the beginning of its day. */
const shown = (message: object) => ({
  id: expect.any(String),
  name: null,
  kind: "message",
  html: expect.any(String),
  decision: null,
  readOn: null,
  createdAt: expect.stringMatching(/T00:00:00\.000Z$/),
  ...message,
});
const listAsTeam = async (path: string) => (await world.as(ada).get(path)).body.conversations;
const file = async () => ({
  field: "relatedFiles",
  name: "boris-at-home.jpg",
  bytes: await createPhoto(),
  type: "image/jpeg",
});

describe("a conversation", () => {
  test("is created with seven words that are stored nowhere, and a link to enter them", async () => {
    const { id } = await world.report(maya, event);
    const { status, body } = await world.as(omar).post(`${incidentPath(id)}/conversations`, NEW_CONVERSATION);
    expect([status, body]).toEqual([
      201,
      {
        conversation: {
          id: expect.any(String),
          ...NEW_CONVERSATION,
          createdAt: expect.any(String),
          createdBy: { id: omar.id, name: omar.name },
          closedOn: null,
          messages: [],
          files: [],
        },
        words: expect.stringMatching(/^[a-z]+( [a-z]+){6}$/),
        link: expect.stringMatching(/\/mailbox$/),
      },
    ]);
    const [row] = await heed.sql<{ all: string }>(
      "select to_jsonb(l)::text || (select jsonb_agg(a)::text from audit_entries a where a.object_id = l.id) as all from conversations l where l.id = $1",
      [body.conversation.id],
    );
    expect(findNeighboringWords(row?.all ?? body.words, body.words)).toEqual([]);
    const { text } = await world.as(omar).get(`${incidentPath(id)}/conversations`);
    expect(text).not.toContain(body.words);
  });

  test("shows messages, decisions and appeals with their day, without names of the team", async () => {
    const { client, conversationId, path } = await openConversation();
    await world.as(omar).post(`${path}/${conversationId}/messages`, { body: "We’d like to hear from you." });
    const early = await client.post("/api/mailbox/messages", { body: "I appeal.", appeal: true });
    expect(summarizeResponse(early)).toEqual([409, "INVALID_STATE_TRANSITION"]);
    await world.as(ada).post(`${path}/${conversationId}/decisions`, NEW_DECISION);
    await client.post("/api/mailbox/messages", { body: "I see this differently.", appeal: true });
    const conversation = await read(client);
    expect(conversation).toEqual({
      event: { name: event.name },
      party: "reported_person",
      messages: [
        shown({ from: "team", body: "We’d like to hear from you." }),
        shown({ from: "team", kind: "decision", body: null, html: null, decision: NEW_DECISION }),
        shown({ from: "you", kind: "appeal", body: "I see this differently." }),
      ],
      pagination: { page: 1, limit: 50, total: 3, totalPages: 1 },
      measures: [
        {
          messageId: expect.any(String),
          measure: NEW_DECISION.measure,
          endsOn: NEW_DECISION.measureEndsOn,
          hasEnded: false,
        },
      ],
      files: [],
    });
    const [seen] = await listAsTeam(path);
    expect(seen.messages.map(({ from, author }: any) => [from, author?.id ?? null])).toEqual([
      ["team", omar.id],
      ["team", ada.id],
      ["party", null],
    ]);
    expect(seen.messages[2].createdAt).toMatch(/T00:00:00\.000Z$/);
  });

  test("records that a message was read on a day, once", async () => {
    const { client, conversationId, path } = await openConversation();
    await world.as(omar).post(`${path}/${conversationId}/messages`, { body: "Please confirm this one." });
    const [message] = (await read(client)).messages;
    for (let time = 0; time < 2; time += 1)
      expect((await client.post("/api/mailbox/reading", { messageId: message.id })).status).toBe(204);
    expect((await read(client)).messages[0].readOn).toMatch(DAY);
    const entries = await heed.sql(
      "select actor_id, by_right, request_id from audit_entries where object_id = $1 and action = 'conversation.confirmReading'",
      [conversationId],
    );
    expect(entries).toEqual([{ actor_id: null, by_right: "mailbox", request_id: null }]);
    const other = await openConversation();
    expect((await other.client.post("/api/mailbox/reading", { messageId: message.id })).status).toBe(404);
  });

  test("lists what its holder does after what it follows, dated with the day, as all that they do", async () => {
    const { client, incidentId, conversationId, path } = await openConversation();
    await world.as(omar).patch(`${incidentPath(incidentId)}/severity`, { severity: "high" });
    await world.as(ada).post(`${path}/${conversationId}/decisions`, NEW_DECISION);
    await client.post("/api/mailbox/messages", { body: "I appeal.", appeal: true });
    await client.post("/api/mailbox/messages", { body: "And one more thing." });
    await world.as(ada).post(`${path}/${conversationId}/messages`, { body: "We look at it again." });
    await client.post("/api/mailbox/reading", { messageId: (await read(client)).messages.at(-1).id });
    await client.post("/api/mailbox/files", buildForm({}, await file()));
    const list = async (order: string) => {
      const { history } = (await world.as(ada).get(`${incidentPath(incidentId)}/history?order=${order}`))
        .body;
      const entries = history.filter(({ action }: { action: string }) => action.startsWith("conversation."));
      for (const { action, createdAt } of entries)
        if (/read|received/.test(action)) expect(createdAt).toMatch(/T00:00:00\.000Z$/);
      return entries.map(({ action, to }: { action: string; to: string }) => [action, to]);
    };
    const expected = [
      ["conversation.created", "reported_person"],
      ["conversation.sent", "decision"],
      ["conversation.received", "appeal"],
      ["conversation.received", "message"],
      ["conversation.sent", "message"],
      ["conversation.read", null],
      ["conversation.received", "files"],
    ];
    expect(await list("asc")).toEqual(expected);
    expect(await list("desc")).toEqual(expected.toReversed());
  });

  test("gets new words, and the old ones open nothing any more, on no device", async () => {
    const { client, words, incidentId, conversationId, path } = await openConversation();
    await world.as(omar).post(`${path}/${conversationId}/messages`, { body: "We’d like to hear from you." });
    const renewed = await world.as(ada).post(`${path}/${conversationId}/words`);
    expect([renewed.status, Object.keys(renewed.body)]).toEqual([201, ["conversation", "words", "link"]]);
    expect(renewed.body.words).not.toBe(words);
    expect(summarizeResponse(await client.get("/api/mailbox"))).toEqual([401, "UNAUTHENTICATED"]);
    expect((await client.post("/api/mailbox/messages", { body: "Still here?" })).status).toBe(401);
    const again = heed.visitor();
    expect((await again.post("/api/mailbox/session", { words })).status).toBe(404);
    expect((await again.post("/api/mailbox/session", { words: renewed.body.words })).status).toBe(204);
    expect((await read(again)).messages).toMatchObject([{ body: "We’d like to hear from you." }]);
    const { history } = (await world.as(ada).get(`${incidentPath(incidentId)}/history`)).body;
    expect(history).toContainEqual(
      expect.objectContaining({ action: "conversation.renewed", actor: { id: ada.id, name: ada.name } }),
    );
    const entries = await heed.sql(
      "select action from audit_entries where object_id = $1 and actor_id = $2",
      [conversationId, ada.id],
    );
    expect(entries).toContainEqual({ action: "conversation.renewWords" });
    await world.as(ada).delete(`${path}/${conversationId}`);
    expect(summarizeResponse(await world.as(ada).post(`${path}/${conversationId}/words`))).toEqual([
      409,
      "CONFLICT",
    ]);
  });

  test("takes files without their names, for its holder and the team alone", async () => {
    const { client, incidentId, conversationId, path } = await openConversation();
    expect((await client.post("/api/mailbox/files", buildForm({}, await file()))).status).toBe(204);
    const [added] = (await read(client)).files;
    expect(added).toEqual({
      id: expect.any(String),
      filename: expect.not.stringContaining("boris"),
      mimetype: "image/jpeg",
      size: expect.any(Number),
      description: null,
      from: "you",
    });
    expect((await client.get(`/api/mailbox/files/${added.id}/download`)).status).toBe(200);
    expect((await world.as(omar).get(`${path}/${conversationId}/files/${added.id}/download`)).status).toBe(
      200,
    );

    const ofIncident = `${incidentPath(incidentId)}/related-files/${added.id}`;
    expect((await world.as(maya).get(`${ofIncident}/download`)).status).toBe(404);
    expect((await world.as(omar).get(`${ofIncident}/download`)).status).toBe(404);
    expect((await world.as(omar).patch(ofIncident, { visibleToReporter: true })).status).toBe(404);
    for (const person of [maya, omar]) {
      const { body } = await world.as(person).get(incidentPath(incidentId));
      expect(body.incident.relatedFiles).toEqual([]);
    }
    const other = await openConversation();
    expect((await other.client.get(`/api/mailbox/files/${added.id}/download`)).status).toBe(404);
  });

  test("is closed for good, on every device", async () => {
    const { client, words, conversationId, path } = await openConversation();
    const { body } = await world.as(ada).delete(`${path}/${conversationId}`);
    expect(body.conversation.closedOn).toMatch(DAY);
    expect((await client.get("/api/mailbox")).status).toBe(401);
    expect((await client.post("/api/mailbox/messages", { body: "Too late." })).status).toBe(401);
    expect((await heed.visitor().post("/api/mailbox/session", { words })).status).toBe(404);
    const refused = await world
      .as(ada)
      .post(`${path}/${conversationId}/messages`, { body: "Anybody there?" });
    expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
  });

  test("notifies the team without content, and the reporter of nothing", async () => {
    const { client, incidentId } = await openConversation();
    await waitUntil("the news of the report", async () => (await heed.rows("outbox_events")) === 0);
    await heed.sql("delete from notifications where incident_id = $1", [incidentId]);
    await client.post("/api/mailbox/messages", { body: "LANTERN in a message." });
    const findNotices = () =>
      heed.sql<{ user_id: string; kind: string; row: string }>(
        "select user_id, kind, to_jsonb(n)::text as row from notifications n where incident_id = $1",
        [incidentId],
      );
    await waitUntil("a notification", async () => (await findNotices()).length > 0);
    const notices = await findNotices();
    expect(new Set(notices.map(({ kind }) => kind))).toEqual(new Set(["message.fromParty"]));
    expect(notices.map(({ user_id }) => user_id)).not.toContain(maya.id);
    expect(notices.map(({ row }) => row).join()).not.toContain("LANTERN");
  });
});

// mailbox.test.ts sends messages and files at once and again, through the same verbs.
describe("what a holder sends again under its key", () => {
  test("belongs to its conversation, is dated with the day, and is forgotten after that day and another", async () => {
    const [one, other] = [await openConversation(), await openConversation()];
    const key = { headers: { "idempotency-key": randomUUID() } };
    const send = async ({ client }: Opened) =>
      (await client.post("/api/mailbox/messages", { body: "Hello." }, key)).headers["idempotent-replayed"];
    for (const opened of [one, other]) expect(await send(opened)).toBe(undefined);
    const [row] = await heed.sql(
      "select to_jsonb(k) as row from idempotency_keys k where conversation_id = $1",
      [one.conversationId],
    );
    const { content_hash: _, key_hash: __, expires_at: expiresAt, ...others } = row?.row ?? {};
    expect(Object.entries(others).filter(([, value]) => value !== null)).toEqual([
      ["took_effect", false],
      ["conversation_id", one.conversationId],
    ]);
    const tomorrow = new Date(Date.now() + 24 * 3600_000);
    expect(Date.parse(expiresAt)).toBe(tomorrow.setUTCHours(24, 0, 0, 0));
    expect(await send(one)).toBe("true");
    const appeal = { body: "Hello.", appeal: true };
    const reused = await one.client.post("/api/mailbox/messages", appeal, key);
    expect(summarizeResponse(reused)).toEqual([422, "IDEMPOTENCY_KEY_REUSED"]);
    await heed.sql("update idempotency_keys set expires_at = now() where conversation_id = $1", [
      one.conversationId,
    ]);
    expect(await send(one)).toBe(undefined);
    expect(await heed.rows("messages", "conversation_id = $1", [one.conversationId])).toBe(2);
  });
});

describe("what nobody else learns", () => {
  test("the holder sees nothing of the report, its people, or another conversation", async () => {
    const { client, incidentId, conversationId, path } = await openConversation();
    await world.as(omar).post(`${incidentPath(incidentId)}/comments`, {
      body: "LANTERN note",
      visibility: "internal",
    });
    await world.as(omar).post(`${incidentPath(incidentId)}/comments`, {
      body: "LANTERN message",
      visibility: "public",
    });
    const second = (await world.as(omar).post(path, { party: "witness", label: "LANTERN witness" })).body;
    await world.as(omar).post(`${path}/${second.conversation.id}/messages`, { body: "LANTERN message" });
    await world.as(omar).post(`${path}/${conversationId}/messages`, { body: "For you." });
    const { text } = await client.get("/api/mailbox");
    const { body } = await world.as(ada).get(incidentPath(incidentId));
    const { title, description, id } = body.incident;
    const page = await client.get("/mailbox", { headers: { accept: "text/html" } });
    for (const seen of [text, page.text])
      for (const secret of [
        "LANTERN",
        title,
        description,
        id,
        NEW_CONVERSATION.label,
        maya.name,
        omar.name,
        omar.id,
      ])
        expect(seen).not.toContain(secret);
    expect(text).not.toMatch(/T(?!00:00:00\.000Z)\d\d:\d\d/);
  });

  test("the reporter sees no conversation, message or change", async () => {
    const { client, incidentId, conversationId, path } = await openConversation();
    const readRow = async () =>
      (
        await Promise.all(
          ["", "/history", "/comments", "/access"].map((part) =>
            world.as(maya).get(`${incidentPath(incidentId)}${part}`),
          ),
        )
      ).map(({ text }) => text.replace(/"readBy":\d+/, ""));
    const before = await readRow();
    await world.as(omar).post(`${path}/${conversationId}/messages`, { body: "Something." });
    await client.post("/api/mailbox/messages", { body: "Something else." });
    await client.post("/api/mailbox/files", buildForm({}, await file()));
    expect(await readRow()).toEqual(before);
    for (const part of ["", `/${conversationId}`])
      expect((await world.as(maya).get(`${path}${part}`)).status).not.toBe(200);
    expect((await world.as(maya).get(path)).status).toBe(403);
  });

  test("a conversation of another incident, event or tenant isn't found", async () => {
    const { conversationId } = await openConversation();
    const { id } = await world.report(maya, event);
    const wrong = `${incidentPath(id)}/conversations/${conversationId}/messages`;
    expect((await world.as(omar).post(wrong, { body: "Hello." })).status).toBe(404);
    const elsewhere = `/api/events/${otherEvent.id}/incidents/${id}/conversations`;
    expect((await world.as(ines).get(elsewhere)).status).toBe(404);
    expect((await world.as(olga).get(`${incidentPath(id)}/conversations`)).status).toBe(403);
    const unknown = `${incidentPath(id)}/conversations/${randomUUID()}/messages`;
    expect((await world.as(omar).post(unknown, { body: "Hello." })).status).toBe(404);
  });

  test("a session opens no conversation, and a reported person has no report to withdraw, close or save words of", async () => {
    const { client } = await openConversation();
    expect((await world.as(omar).get("/api/mailbox")).status).toBe(401);
    const before = await read(client);
    for (const send of [
      () => client.delete("/api/mailbox"),
      () => client.post("/api/mailbox/withdrawal"),
      () => client.post("/api/mailbox/receipt/saved"),
      () => client.post("/api/mailbox/receipt/confirmation", { entered: {} }),
    ])
      expect((await send()).status).toBe(404);
    expect(await read(client)).toEqual(before);
  });
});
