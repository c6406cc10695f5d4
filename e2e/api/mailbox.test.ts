import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Client } from "#e2e/support/client.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { countOutcomes, runConcurrently, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef } from "#e2e/support/world.ts";
import { findNeighboringWords } from "#e2e/support/receipt-words.ts";
import { hashReceipt } from "#lib/crypto/receipt.ts";
import { countLeadingZeroBits } from "#lib/conversations/lookup-lane.ts";

/** Reports without an account, anonymous reports, and the mailbox in which whoever sent them comes back. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, organization, ada, maya, omar, sam } = world;

const REPORT = { title: "Shouted at beside the stairs", description: "It happened an hour ago." };
const reportsPath = (of: EventRef = event) => `/api/events/slug/${of.slug}/anonymous-reports`;
const incidentPath = (id: string) => `/api/events/${event.id}/incidents/${id}`;
const KEY = "a-key-that-nobody-guesses-";

/** The tag with which a page names the mailbox that it shows. */
const findTag = async (client: Client) => (await client.get("/mailbox/opened")).text;
/** Posts what the page of a receipt posts. */
const postTag = (client: Client, path: string, opened: string) =>
  client.post(path, undefined, {
    raw: `${new URLSearchParams({ opened })}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    opensMailbox: true,
  });
const download = (client: Client, opened: string) => postTag(client, "/mailbox/receipt", opened);
const DAY = /^\d{4}-\d{2}-\d{2}$/;

type Sent = { client: Client; receipt: string; incidentId: string };

async function sendReport(body: object = REPORT): Promise<Sent> {
  const client = heed.visitor();
  const sent = { ...body, openMailbox: true };
  const { status, body: answer, text } = await client.post(reportsPath(), sent, { opensMailbox: true });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return { client, receipt: answer.receipt, incidentId: await findIncident(answer.receipt) };
}

async function findIncident(receipt: string): Promise<string> {
  const hash = Buffer.from(hashReceipt(receipt));
  const [row] = await heed.sql<{ id: string }>(
    "select incident_id as id from conversations where words_hash = $1",
    [hash],
  );
  return row?.id ?? "";
}

const readMailbox = async (client: Client) => (await client.get("/api/mailbox")).body.mailbox;

/** Solves a challenge, as the page's script does. */
async function solve(client: Client): Promise<{ challenge: string; solution: string }> {
  const { challenge, bits } = (await client.get("/api/mailbox/challenge")).body;
  for (let attempt = 0; ; attempt += 1) {
    const digest = createHash("sha256").update(`${challenge}${attempt}`).digest();
    if (countLeadingZeroBits(digest) >= bits) return { challenge, solution: `${attempt}` };
  }
}

async function openMailbox(receipt: string): Promise<Client> {
  const client = heed.visitor();
  const reply = await client.post("/api/mailbox/session", { words: receipt, proof: await solve(client) });
  expect(reply.status).toBe(204);
  return client;
}

describe("report without an account", () => {
  test("gives a receipt of seven listed words and opens the mailbox on this device", async () => {
    const { client, receipt } = await sendReport({
      ...REPORT,
      location: "Hall 3",
      severity: "high",
      incidentOn: "2026-11-20",
      incidentDayPart: "evening",
    });
    expect(receipt).toMatch(/^[a-z]+( [a-z]+){6}$/);
    expect(await readMailbox(client)).toEqual({
      party: "reporter",
      event: { name: event.name, slug: event.slug, contactEmail: null },
      report: {
        ...REPORT,
        type: null,
        location: "Hall 3",
        parties: null,
        severity: "high",
        incidentAt: "2026-11-20T12:00:00.000Z",
        incidentOn: "2026-11-20",
        incidentDayPart: "evening",
        createdAt: expect.stringMatching(/:(00|15|30|45):00\.000Z$/),
      },
      state: "submitted",
      outcome: null,
      files: [],
      messages: [],
      pagination: { page: 1, limit: 50, total: 0, totalPages: 0 },
      hiddenFrom: [],
      hiddenByName: false,
      outsidePerson: null,
      hasReader: true,
      readBy: 0,
      lastReadOn: null,
      openedInEmergencyOn: null,
      withdrawnOn: null,
      retention: { deleteOn: null, rule: null, months: null, delayedBy: null, onHold: false },
      receipt,
    });
  });

  test("stores neither the words nor a finer time than a quarter of an hour", async () => {
    const { incidentId, receipt } = await sendReport();
    const [row] = await heed.sql<Record<string, unknown>>(
      `select i.reporter_id, i.contact_method, i.created_at, i.updated_at, h.created_at as history_at,
        m.words_hash, to_jsonb(i)::text || to_jsonb(h)::text || to_jsonb(m)::text as everything
       from incidents i join incident_history h on h.incident_id = i.id
       join conversations m on m.id = i.id where i.id = $1`,
      [incidentId],
    );
    const { everything, ...stored } = row as { everything: string; created_at: Date; history_at: Date };
    expect(stored.created_at.getTime() % 900_000).toBe(0);
    expect(stored).toMatchObject({
      reporter_id: null,
      contact_method: "no_contact",
      updated_at: stored.created_at,
      history_at: stored.created_at,
    });
    expect(findNeighboringWords(everything, receipt)).toEqual([]);
  });

  test("dates a message with its quarter of an hour, whatever the team has just done that the reporter doesn't see", async () => {
    const { client, incidentId } = await sendReport();
    const hidden = { party: "witness", label: "Whoever stood beside them" };
    expect((await world.as(omar).post(`${incidentPath(incidentId)}/conversations`, hidden)).status).toBe(201);
    await world.as(omar).post(`${incidentPath(incidentId)}/comments`, {
      body: "For us only.",
      visibility: "internal",
    });
    await heed.sql(
      "update incident_history set created_at = created_at + interval '1 hour' where incident_id = $1 and action in ('note', 'conversation.created')",
      [incidentId],
    );
    expect((await client.post("/api/mailbox/messages", { body: "It goes on." })).status).toBe(204);
    const [message] = (await readMailbox(client)).messages;
    expect(message.createdAt).toMatch(/:(00|15|30|45):00\.\d{3}Z$/);
    expect(Date.parse(message.createdAt)).toBeLessThan(Date.now());
  });

  test("names nobody who happens to be signed in, in no table", async () => {
    const client = world.as(maya);
    const before = await heed.sql("select last_used_at from sessions where user_id = $1", [maya.id]);
    const reply = await client.post(reportsPath(), { ...REPORT, description: "While signed in." });
    expect(reply.status).toBe(201);
    const incidentId = await findIncident(reply.body.receipt);
    const [audit] = await heed.sql("select * from audit_entries where object_id = $1", [incidentId]);
    expect(audit).toMatchObject({ actor_id: null, by_right: "anonymous", request_id: null });
    expect(await heed.sql("select last_used_at from sessions where user_id = $1", [maya.id])).toEqual(before);
  });

  test("is refused where the event takes reports only with an account", async () => {
    const closed = await world.newEvent(organization);
    await heed.sql("insert into event_report_settings (event_id, without_account) values ($1, false)", [
      closed.id,
    ]);
    const reply = await heed.visitor().post(reportsPath(closed), REPORT);
    expectRefusal(reply, "403 FORBIDDEN");
  });

  test("keeps files only when they are clean, with neutral names", async () => {
    const client = heed.visitor();
    const photo = { name: "maya-in-hall-3.jpg", bytes: await createPhoto(), type: "image/jpeg" };
    const form = buildForm({ ...REPORT, openMailbox: "true" }, { field: "relatedFiles", ...photo });
    expect((await client.post(reportsPath(), form, { opensMailbox: true })).status).toBe(201);
    const [file] = (await readMailbox(client)).files;
    expect(file).toMatchObject({ filename: "photo-1.jpg", from: "you" });
    const download = await client.get(`/api/mailbox/files/${file.id}/download`);
    expect([download.status, download.bytes.includes("GPS")]).toEqual([200, false]);
    const more = buildForm(
      {},
      { field: "relatedFiles", name: "by-maya.txt", bytes: Buffer.from("What I saw."), type: "text/plain" },
      { field: "relatedFiles", ...photo },
    );
    expect((await client.post("/api/mailbox/files", more)).status).toBe(204);
    const names = (await readMailbox(client)).files.map(({ filename }: { filename: string }) => filename);
    expect(names.toSorted()).toEqual(["document-2.txt", "photo-1.jpg", "photo-3.jpg"]);
  });

  test("sent twice under one key is one report with one receipt", async () => {
    const headers = { "Idempotency-Key": `${KEY}1` };
    const replies = await runConcurrently(4, () => heed.visitor().post(reportsPath(), REPORT, { headers }));
    expect(countOutcomes(replies)).toEqual({ "201": 4 });
    expect(new Set(replies.map(({ body }) => body.receipt)).size).toBe(1);
    const other = await heed.visitor().post(reportsPath(), { ...REPORT, location: "Elsewhere" }, { headers });
    expectRefusal(other, "422 IDEMPOTENCY_KEY_REUSED");
    const weak = await heed.visitor().post(reportsPath(), REPORT, { headers: { "Idempotency-Key": "1" } });
    expectRefusal(weak, "400 VALIDATION_ERROR");
  });
});

describe("a refused form", () => {
  test("shows its text in the browser that sent it, and in no other that opens the same address", async () => {
    const sender = heed.visitor();
    const page = await sender.get(`/e/${event.slug}/report?without=account`);
    const read = (pattern: RegExp) => pattern.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const action = read(/action="([^"]*\/report\/send\?upload=[^"]*)"/);
    const ticket = read(/name="ticket" value="([^"]*)"/);
    const send = async (path: string, fields: Record<string, string>) =>
      String((await sender.post(path, buildForm(fields), { mayWrite: true })).headers.location);
    const form = { ticket, title: "short", description: "Call this number instead." };
    const upload = new URL(action, "http://here.invalid").searchParams.get("upload");
    const places = [
      await send(action, form),
      await send(`/mailbox/add?upload=${upload}`, { body: form.description, sends: "message" }),
    ];
    for (const place of places) {
      expect(place).toContain("return=");
      expect((await heed.visitor().get(place)).text).not.toContain(form.description);
      expect((await sender.get(place)).text).toContain(form.description);
    }
  });
});

describe("anonymous report of somebody signed in", () => {
  test("has a mailbox, too, and its replay has the same receipt", async () => {
    const headers = { "Idempotency-Key": "one" };
    const send = (anonymous = true) =>
      world.as(maya).post(`/api/events/${event.id}/incidents`, { ...REPORT, anonymous }, { headers });
    const [first, second] = [await send(), await send()];
    expectRefusal(await send(false), "422 IDEMPOTENCY_KEY_REUSED");
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.receipt).toBe(first.body.receipt);
    const opened = await openMailbox(first.body.receipt);
    expect((await readMailbox(opened)).report.title).toBe(REPORT.title);
  });

  test("with a name has none", async () => {
    const { body } = await world.as(maya).post(`/api/events/${event.id}/incidents`, REPORT);
    expect(body.receipt).toBeUndefined();
    expect(await heed.rows("conversations", "id = $1 and words_hash is null", [body.incident.id])).toBe(1);
  });
});

describe("opening", () => {
  test("accepts the words in any case and with any separators, opens at once, and writes nothing", async () => {
    const { receipt, incidentId } = await sendReport();
    const typed = receipt
      .toUpperCase()
      .split(" ")
      .map((word, at) => `${at + 1}. ${word}`)
      .join(",\n");
    const readRow = () => heed.sql("select * from conversations where id = $1", [incidentId]);
    const before = await readRow();
    const client = heed.visitor();
    expect((await client.post("/api/mailbox/session", { words: typed })).status).toBe(204);
    expect(await readMailbox(client)).toMatchObject({ report: REPORT, receipt: null });
    expect(await readRow()).toEqual(before);
  });

  test("shows the words until they are saved or two of them are typed", async () => {
    const { client, receipt } = await sendReport();
    const confirm = (words: Record<string, string>) =>
      client.post("/api/mailbox/receipt/confirmation", { entered: words });
    for (const words of [{}, { 1: receipt.split(" ")[0] ?? "" }, { 1: "abacus", 2: "abdomen" }])
      expectRefusal(await confirm(words as Record<string, string>), "400 VALIDATION_ERROR");
    expect((await client.post("/api/mailbox/receipt/saved")).status).toBe(204);
    // The fields still hold the word that was refused, in the page without script as well.
    expect((await confirm({ 1: "abacus" })).status).toBe(204);
  });

  test("shows the words no longer once they are confirmed, to a copy of the cookie either", async () => {
    const { client, receipt } = await sendReport();
    const copy = heed.visitor();
    copy.mailbox = client.mailbox;
    expect((await readMailbox(copy)).receipt).toBe(receipt);
    expect((await client.post("/api/mailbox/receipt/saved")).status).toBe(204);
    expect((await client.post("/api/mailbox/receipt/confirmation", { entered: {} })).status).toBe(204);
    expect((await readMailbox(copy)).receipt).toBeNull();
    expect((await download(copy, await findTag(copy))).headers.location).toBe("/mailbox");
  });

  test("in another tab keeps the page of the first one from saving the words of the second", async () => {
    const [first, second] = [await sendReport(), await sendReport()];
    const [tag, otherTag] = [await findTag(first.client), await findTag(second.client)];
    const { client } = second;
    expect((await download(client, otherTag)).text).toContain(second.receipt.split(" ")[0]);
    const refused = await download(client, tag);
    expect([refused.headers.location, refused.text]).toEqual(["/mailbox?done=other", ""]);
    expect((await download(client, "")).headers.location).toBe("/mailbox?done=other");
    expect((await postTag(client, "/mailbox/receipt/saved", tag)).status).toBe(409);
    expect((await client.post("/api/mailbox/receipt/confirmation", { entered: {} })).status).toBe(204);
  });

  test("ends when it would have, whatever is done with the cookie meanwhile", async () => {
    const { client } = await sendReport();
    await sleep(1100);
    const replies = [
      await client.post("/api/mailbox/receipt/saved"),
      await download(client, await findTag(client)),
      await client.post("/api/mailbox/receipt/confirmation", { entered: {} }),
      await client.post("/api/mailbox/receipt/saved"),
    ];
    const ages = replies.map(({ headers }) => /Max-Age=(\d+)/.exec(String(headers["set-cookie"]))?.[1]);
    for (const age of ages) expect(Number(age)).toBeLessThan(30 * 60);
  });

  test("with an unlisted word is 400, and says which; so are words that are too few", async () => {
    const { receipt } = await sendReport();
    const open = (words: string) => heed.visitor().post("/api/mailbox/session", { words });
    const unlisted = await open([...receipt.split(" ").slice(0, 6), "qwertz"].join(" "));
    expectRefusal(unlisted, "400 VALIDATION_ERROR");
    expect(unlisted.body.details).toBe("words: has a word that isn't on our list: word 7");
    expectRefusal(await open("abacus"), "400 VALIDATION_ERROR");
  });

  test("takes a solved challenge once, and lets whoever has none wait their turn", async () => {
    const { receipt } = await sendReport();
    const order: string[] = [];
    const open = async (name: string, proof?: unknown) => {
      const { status } = await heed.visitor().post("/api/mailbox/session", { words: receipt, proof });
      order.push(`${name} ${status}`);
    };
    const proof = await solve(heed.visitor());
    const waiting = runConcurrently(6, () => open("waiting"));
    await open("solved", proof);
    await Promise.all([open("used again", proof), waiting]);
    expect(order[0]).not.toBe("used again 204");
    expect(order.indexOf("solved 204")).toBeLessThan(order.lastIndexOf("waiting 204"));
    // The last two may arrive at the same time.
    expect(order.slice(-2)).toContain("used again 204");
  });

  test("writes no row when somebody comes back, looks and leaves", async () => {
    const { receipt } = await sendReport();
    const [before] = await heed.sql("select pg_current_xact_id()::text::bigint as id");
    const again = await openMailbox(receipt);
    await readMailbox(again);
    await again.delete("/api/mailbox/session");
    expect(again.mailbox).toBeUndefined();
    const written = await heed.sql(
      `select 'conversations' from conversations where xmin::text::bigint > $1
       union all select 'audit_entries' from audit_entries where xmin::text::bigint > $1
       union all select 'incidents' from incidents where xmin::text::bigint > $1
       union all select 'incident_access' from incident_access where xmin::text::bigint > $1
       union all select 'rate_limits' from rate_limits where xmin::text::bigint > $1`,
      [before?.id],
    );
    expect(written).toEqual([]);
  });
});

describe("mailbox", () => {
  test("carries messages both ways, and shows the outcome", async () => {
    const { client, incidentId } = await sendReport();
    await world.as(omar).post(`${incidentPath(incidentId)}/comments`, {
      body: "Are you *safe* now?",
      visibility: "public",
    });
    expect((await client.post("/api/mailbox/messages", { body: "Yes, thank you." })).status).toBe(204);
    await world.as(omar).post(`${incidentPath(incidentId)}/comments`, { body: "Team only: call security." });
    await world.as(omar).patch(`/api/events/slug/${event.slug}/incidents/${incidentId}`, {
      resolution: "Marker-record",
      state: "resolved",
      outcome: "We spoke with them.",
    });
    const mailbox = await readMailbox(client);
    expect(mailbox.messages).toMatchObject([
      { from: "team", name: null, body: "Are you *safe* now?", html: "<p>Are you *safe* now?</p>" },
      { from: "you", name: null, body: "Yes, thank you." },
      { from: "team", name: null, body: "We spoke with them." },
    ]);
    expect(mailbox.outcome).toBe("We spoke with them.");
    expect(JSON.stringify(mailbox)).not.toMatch(/security|omar|Omar|Marker-record/);
  });

  test("says how many read the report, and on which day", async () => {
    const { client, incidentId } = await sendReport();
    await world.as(omar).get(incidentPath(incidentId));
    await world.as(ada).get(incidentPath(incidentId));
    expect(await readMailbox(client)).toMatchObject({ readBy: 2, lastReadOn: expect.stringMatching(DAY) });
  });

  test("says on which day somebody opened the report in an emergency", async () => {
    const { client, incidentId } = await sendReport();
    // An Admin who hides it has to leave a SystemAdmin who reads it.
    const other = await world.person("Second System", { systemAdmin: true });
    const hiding = { access: "none", reason: "They are a friend of theirs." };
    const excluded = await world.as(ada).put(`${incidentPath(incidentId)}/readers/${sam.id}`, hiding);
    expect([excluded.status, (await readMailbox(client)).openedInEmergencyOn]).toEqual([200, null]);
    const reason = "The whole team is away this week.";
    expect(
      (await world.as(sam).post(`${incidentPath(incidentId)}/readers/me/emergency`, { reason })).status,
    ).toBe(200);
    expect((await readMailbox(client)).openedInEmergencyOn).toMatch(DAY);
    await heed.sql("update users set system_admin = false where id = $1", [other.id]);
  });

  test("shows the team the quarter of an hour of what came from it, and counts no minutes", async () => {
    const { client, incidentId } = await sendReport();
    await client.post("/api/mailbox/messages", { body: "It happened again." });
    const { text } = await world.as(omar).get(`/e/${event.slug}/i/${incidentId}`);
    const shown = [...text.matchAll(/<time [^>]*>(?:<span[^>]*>)?([^<]+)/g)].map(([, time]) => time);
    // The report in the title, in its details and in the timeline, and the message there.
    expect(shown.filter((time) => /\d\d:\d\d–\d\d:\d\d/.test(time ?? ""))).toHaveLength(4);
    expect(shown.filter((time) => /\d min ago/.test(time ?? ""))).toEqual([]);
  });

  test("shows what was sent with its type, and the severity that the reporter chose", async () => {
    const type = "Threats or violence";
    const { client, incidentId } = await sendReport({ ...REPORT, type, severity: "high" });
    const path = `/api/events/slug/${event.slug}/incidents/${incidentId}`;
    expect((await world.as(omar).patch(path, { severity: "low" })).status).toBe(200);
    expect((await readMailbox(client)).report).toMatchObject({ type, severity: "high" });
  });
  test("shows no file that the team keeps to itself", async () => {
    const { client, incidentId } = await sendReport();
    const note = (name: string) => ({
      field: "relatedFiles",
      name,
      bytes: `Text of ${name}`,
      type: "text/plain",
    });
    const add = (fields: Record<string, string>, name: string) =>
      world.as(omar).post(`${incidentPath(incidentId)}/related-files`, buildForm(fields, note(name)));
    const remaining = (await add({}, "kept.txt")).body.relatedFiles[0];
    const shared = (await add({ visibleToReporter: "true" }, "shared.txt")).body.relatedFiles[0];
    expect((await readMailbox(client)).files).toMatchObject([{ id: shared.id, from: "team" }]);
    expect((await client.get(`/api/mailbox/files/${remaining.id}/download`)).status).toBe(404);
    expect((await client.get(`/api/mailbox/files/${shared.id}/download`)).text).toBe("Text of shared.txt");
  });

  test("opens one report only", async () => {
    const [mine, other] = [await sendReport(), await sendReport({ ...REPORT, description: "Another one." })];
    const photo = { field: "relatedFiles", name: "a.jpg", bytes: await createPhoto(), type: "image/jpeg" };
    expect((await other.client.post("/api/mailbox/files", buildForm({}, photo))).status).toBe(204);
    const [file] = (await readMailbox(other.client)).files;
    expect((await other.client.get(`/api/mailbox/files/${file.id}/download`)).status).toBe(200);
    expect((await mine.client.get(`/api/mailbox/files/${file.id}/download`)).status).toBe(404);
    expect((await heed.visitor().get("/api/mailbox")).status).toBe(401);
  });

  test("withdraws the report once, for the team to decide", async () => {
    const { client, incidentId } = await sendReport();
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect((await client.post("/api/mailbox/withdrawal")).status).toBe(204);
    expect((await readMailbox(client)).withdrawnOn).toMatch(DAY);
    expect((await world.as(omar).get(incidentPath(incidentId))).body.incident.withdrawn).toBe(true);
    expect((await world.as(omar).get(`/inbox/rows?ids=${incidentId}`)).text).toContain(
      '"withdrawn","Withdrawn"',
    );
    const other = await sendReport();
    expect((await world.as(omar).get(incidentPath(other.incidentId))).body.incident.withdrawn).toBe(false);
    const history = (await world.as(omar).get(`${incidentPath(incidentId)}/history`)).body.history;
    expect(history.map(({ action }: { action: string }) => action)).toEqual(["submitted", "withdrawn"]);
    const kinds = async () =>
      (
        await heed.sql("select kind from notifications where incident_id = $1 and user_id = $2", [
          incidentId,
          omar.id,
        ])
      ).map(({ kind }) => kind);
    await waitUntil("the team is notified", async () => (await kinds()).includes("incident.withdrawn"));
    expect(await kinds()).not.toContain("message.created");
  });

  test("is left by signing out on the device that sent an anonymous report", async () => {
    const client = await world.device(maya);
    const path = `/api/events/${event.id}/incidents`;
    const sent = await client.post(
      path,
      { ...REPORT, anonymous: true, openMailbox: true },
      { opensMailbox: true },
    );
    expect([sent.status, (await readMailbox(client)).receipt]).toEqual([201, sent.body.receipt]);
    const reply = await client.post("/api/auth/logout", undefined, { opensMailbox: true });
    expect(reply.headers["set-cookie"]).toContainEqual(expect.stringMatching(/^mailbox=;.*Max-Age=0/));
    expect([reply.status, (await client.get("/api/mailbox")).status]).toEqual([200, 401]);
  });

  test("stays shut after the quick exit, even if its cookie is still there, until it is opened again", async () => {
    const { client, receipt } = await sendReport();
    await client.post("/api/mailbox/receipt/saved");
    await client.post("/api/mailbox/receipt/confirmation", { entered: {} });
    const [path, { mailbox }] = ["/api/mailbox", client];
    expect((await client.get("/mailbox")).text).toContain(REPORT.title);
    const headers = { cookie: `${mailbox}; heed_left=1` };
    expect((await client.get(path, { headers })).status).toBe(401);
    expect((await client.post(`${path}/messages`, { body: "Not from me." }, { headers })).status).toBe(401);
    expect((await client.get("/mailbox", { headers })).text).not.toContain(REPORT.title);
    expect((await client.get("/mailbox/opened", { headers })).text).toBe("");
    const entry = { words: receipt, proof: await solve(client) };
    const opened = await client.post(`${path}/session`, entry, { headers, mayRenew: true });
    const cookies = opened.headers["set-cookie"] ?? [];
    // Otherwise what was open before would be open again.
    for (const name of ["heed_left", "session"])
      expect(cookies).toContainEqual(expect.stringMatching(new RegExp(`^${name}=;.*Max-Age=0`)));
    expect(cookies.filter((one) => one.startsWith("mailbox="))).toEqual([
      expect.stringMatching(/^mailbox=\w/),
    ]);
    expect((await client.get(path)).status).toBe(200);
  });

  test("closed for good can't be opened on any device", async () => {
    const { client, receipt, incidentId } = await sendReport();
    const elsewhere = await openMailbox(receipt);
    await client.post("/api/mailbox/messages", { body: "One last word." });
    expect((await client.delete("/api/mailbox")).status).toBe(204);
    for (const one of [client, elsewhere])
      expectRefusal(await one.get("/api/mailbox"), "401 UNAUTHENTICATED");
    const late = await elsewhere.post("/api/mailbox/messages", { body: "Hello?" });
    expect(late.headers["x-error-key"]).toBe("mailboxClosed");
    expect((await world.as(omar).get(incidentPath(incidentId))).body.incident).toMatchObject({
      hasMailbox: false,
      mailboxClosed: true,
    });
    const comments = (await world.as(omar).get(`${incidentPath(incidentId)}/comments`)).body.comments;
    expect(comments).toMatchObject([{ fromMailbox: true, body: "One last word." }]);
    const again = await heed.visitor().post("/api/mailbox/session", { words: receipt });
    expectRefusal(again, "404 NOT_FOUND");
    expect((await world.as(omar).get(incidentPath(incidentId))).status).toBe(200);
  });
});

test("closing a mailbox for good leaves no time finer than the quarter of an hour", async () => {
  const { client, incidentId } = await sendReport();
  await client.delete("/api/mailbox");
  const [row] = await heed.sql<{ fraction: number }>(
    "select (extract(epoch from updated_at) % 900)::float8 as fraction from incidents where id = $1",
    [incidentId],
  );
  expect(row?.fraction).toBeLessThan(1);
});

describe("a repeated request under its key", () => {
  const under = () => ({ headers: { "idempotency-key": randomUUID() } });
  const replayed = (reply: { headers: Record<string, unknown> }) => reply.headers["idempotent-replayed"];
  const countMessages = (incidentId: string) => heed.rows("messages", "conversation_id = $1", [incidentId]);

  test("is one message, however often and at once it is sent", async () => {
    const { client, incidentId } = await sendReport();
    const ask = under();
    const send = (body: string) => client.post("/api/mailbox/messages", { body }, ask);
    const replies = await runConcurrently(8, () => send("Are you there?"));
    expect(countOutcomes(replies)).toEqual({ 204: 8 });
    expect(replies.filter((reply) => replayed(reply) === "true")).toHaveLength(7);
    expect(await countMessages(incidentId)).toBe(1);
    expectRefusal(await send("Something else"), "422 IDEMPOTENCY_KEY_REUSED");
    expect(await countMessages(incidentId)).toBe(1);
    expect(replayed(await client.post("/api/mailbox/messages", { body: "Are you there?" }, under()))).toBe(
      undefined,
    );
    expect(await countMessages(incidentId)).toBe(2);
  });

  test("is one set of files", async () => {
    const { client, incidentId } = await sendReport();
    const photo = { name: "seen.jpg", bytes: await createPhoto(), type: "image/jpeg" };
    const ask = under();
    for (const expected of [undefined, "true", "true"]) {
      const reply = await client.post("/api/mailbox/files", buildForm({}, photo), ask);
      expect([reply.status, replayed(reply)]).toEqual([204, expected]);
    }
    expect(await heed.rows("related_files", "incident_id = $1", [incidentId])).toBe(1);
    const described = await client.post(
      "/api/mailbox/files",
      buildForm({ description: "The hall" }, photo),
      ask,
    );
    expectRefusal(described, "422 IDEMPOTENCY_KEY_REUSED");
  });

  test("belongs to its mailbox", async () => {
    const [one, other] = [await sendReport(), await sendReport()];
    const ask = under();
    for (const { client, incidentId } of [one, other]) {
      const reply = await client.post("/api/mailbox/messages", { body: "Hello." }, ask);
      expect([reply.status, replayed(reply), await countMessages(incidentId)]).toEqual([204, undefined, 1]);
    }
  });
});

describe("the form of the page", () => {
  test.each([
    [{}, 1],
    [{ sends: "files" }, 0],
    [{ sends: "something" }, 0],
  ])("with %j sends %i messages, and withdraws nothing", async (button, messages) => {
    const { client, incidentId } = await sendReport();
    const opened = await readTag(client);
    const form = buildForm({ ...buildFields(), opened, ...button });
    expect((await client.post("/mailbox/add", form, { opensMailbox: true })).status).toBe(303);
    expect(await heed.rows("messages", "conversation_id = $1", [incidentId])).toBe(messages);
    expect((await readMailbox(client)).withdrawnOn).toBeNull();
  });

  test.each<Record<string, string>>([{}, { sends: "files" }, { sends: "withdrawal" }])(
    "with %j does nothing in a mailbox that it isn't from, or without a tag",
    async (button) => {
      const [first, second] = [await sendReport(), await sendReport()];
      const tags: Record<string, string>[] = [{ opened: await readTag(first.client) }, { opened: "" }, {}];
      for (const tag of tags) {
        const form = buildForm({ ...buildFields(), ...tag, ...button });
        const reply = await second.client.post("/mailbox/add", form, { opensMailbox: true });
        expect([reply.status, reply.headers.location]).toEqual([
          303,
          expect.stringMatching(/^\/mailbox\?return=[^&]+&done=other$/),
        ]);
      }
      for (const { incidentId } of [first, second])
        expect(await heed.rows("messages", "conversation_id = $1", [incidentId])).toBe(0);
      expect((await readMailbox(second.client)).withdrawnOn).toBeNull();
    },
  );
});

const buildFields = () => ({ ticket: randomUUID(), messageTicket: randomUUID(), body: "Hello." });
const readTag = async (client: Client): Promise<string> => (await client.get("/mailbox/opened")).text;
