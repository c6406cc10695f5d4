import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { NEW_INTAKE } from "#e2e/api/intake-rows.ts";
import type { Client } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { expectShape, INCIDENT } from "#e2e/support/shapes.ts";
import { runConcurrently } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** Reports that a team member writes down for somebody (contract 14.4). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, ada, maya, omar, sam } = world;

const intakesPath = (slug = event.slug) => `/api/events/slug/${slug}/intakes`;
const incidentPath = (id: string) => `/api/events/${event.id}/incidents/${id}`;
const confirmationPath = (id: string) => `${incidentPath(id)}/intake/confirmation`;
const under = (key: string) => ({ headers: { "idempotency-key": key } });
const OPEN = { openMailbox: true };
const OBSERVATIONS = "She was shaking, and a man in a red hat waited outside.";

async function take(more: object = {}, taker: TestPerson = omar): Promise<string> {
  const { status, body, text } = await world.as(taker).post(intakesPath(), { ...NEW_INTAKE, ...more });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return body.incident.id;
}

const readIncident = async (id: string) => (await world.as(ada).get(incidentPath(id))).body.incident;

async function openMailbox(receipt: string): Promise<{ status: number; client: Client }> {
  const client = heed.visitor();
  const { status } = await client.post("/api/mailbox/session", { words: receipt });
  return { status, client };
}

describe("taking a report", () => {
  test("files the person's words without a reporter, as unconfirmed", async () => {
    const { status, body, headers } = await world.as(omar).post(intakesPath(), NEW_INTAKE);
    expect(status).toBe(201);
    expectShape(body, { incident: INCIDENT });
    expect(headers.location).toBe(incidentPath(body.incident.id));
    expect(body.incident).toMatchObject({
      title: NEW_INTAKE.title,
      description: NEW_INTAKE.description,
      reporterId: null,
      reporter: null,
      contactMethod: "no_contact",
      unconfirmed: true,
      hasMailbox: false,
      state: "submitted",
    });
  });

  test("shows the taker, channel, witness and steps taken to the team only", async () => {
    const at = "2026-03-01T20:15:00.000Z";
    const id = await take({
      channel: "phone",
      witnessId: ada.id,
      firstResponses: [
        { kind: "police_declined" },
        { kind: "quiet_place", at },
        { kind: "quiet_place", at: null },
      ],
    });
    const { body } = await world.as(ada).get(`${incidentPath(id)}/intake`);
    expect(body).toEqual({
      intake: {
        channel: "phone",
        takenAt: expect.any(String),
        taker: { id: omar.id, name: omar.name },
        witness: { id: ada.id, name: ada.name },
        confirmedAt: null,
        corrected: false,
        canConfirm: true,
        firstResponses: [
          { kind: "quiet_place", at },
          { kind: "police_declined", at: null },
        ],
      },
    });
    expect((await world.as(maya).get(`${incidentPath(id)}/intake`)).status).toBe(404);
  });

  test("gives the taker no rights of a reporter, and names them in history and audit log", async () => {
    const id = await take();
    const { body: own } = await world.as(omar).get("/api/users/me/export");
    expect(JSON.stringify(own.reports ?? own)).not.toContain(id);
    const { body } = await world.as(ada).get(`${incidentPath(id)}/history`);
    expect(body.history.map(({ action, actor, to }: any) => [action, actor?.id ?? null, to])).toEqual([
      ["submitted", null, "submitted"],
      ["intake", omar.id, "in_person"],
    ]);
    const entries = await heed.sql(
      "select action, actor_id, by_right from audit_entries where object_id = $1 and action like 'intake.%'",
      [id],
    );
    expect(entries).toEqual([{ action: "intake.create", actor_id: omar.id, by_right: "event:Responder" }]);
  });

  test("says null for a report that somebody sent themselves", async () => {
    const { id } = await world.report(maya, event);
    expect((await world.as(omar).get(`${incidentPath(id)}/intake`)).body).toEqual({ intake: null });
    expect((await readIncident(id)).unconfirmed).toBe(false);
  });

  test("makes what the taker saw a team note, which the mailbox never shows", async () => {
    const id = await take({ observations: OBSERVATIONS });
    const { body: notes } = await world.as(ada).get(`${incidentPath(id)}/comments?visibility=internal`);
    expect(notes.comments.map(({ body, author }: any) => [body, author.id])).toEqual([
      [OBSERVATIONS, omar.id],
    ]);
    const { body } = await world.as(omar).post(confirmationPath(id), {});
    const { client } = await openMailbox(body.receipt);
    const { body: mailbox, text } = await client.get("/api/mailbox");
    expect(mailbox.mailbox.report.description).toBe(NEW_INTAKE.description);
    for (const secret of ["red hat", omar.name, omar.id, "in_person"]) expect(text).not.toContain(secret);
  });

  test("refuses a witness outside the team, and the taker as their own witness", async () => {
    for (const witnessId of [maya.id, omar.id, randomUUID()]) {
      const { status, body } = await world.as(omar).post(intakesPath(), { ...NEW_INTAKE, witnessId });
      expect([status, body.details]).toEqual([400, expect.stringContaining("witnessId")]);
    }
  });

  test("files a report that is sent again under its key once", async () => {
    const key = randomUUID();
    const send = (more: object = {}) =>
      world.as(omar).post(intakesPath(), { ...NEW_INTAKE, ...more }, under(key));
    const replies = await runConcurrently(3, () => send());
    expect(new Set(replies.map(({ body }) => body.incident.id)).size).toBe(1);
    expect((await send({ observations: "Something else." })).body.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });
});

describe("confirming", () => {
  test("stores the person's corrections, and returns their receipt", async () => {
    const id = await take({ location: "The bar", parties: "A man with a red hat", reportedPersonName: "Jo" });
    const corrected = {
      description: "He walked behind me. He did not speak.",
      parties: "",
      reportedPersonName: "Jo Example",
    };
    const { status, body } = await world.as(omar).post(confirmationPath(id), corrected);
    expect([status, body.receipt]).toEqual([200, expect.stringMatching(/^[a-z]+( [a-z]+){6}$/)]);
    expect(await readIncident(id)).toMatchObject({
      title: NEW_INTAKE.title,
      description: corrected.description,
      location: "The bar",
      parties: null,
      reportedPersonName: "Jo Example",
      unconfirmed: false,
      hasMailbox: true,
    });
    const { body: shown } = await world.as(ada).get(`${incidentPath(id)}/intake`);
    expect(shown.intake).toMatchObject({ confirmedAt: expect.any(String), corrected: true });
    expect((await openMailbox(body.receipt)).status).toBe(204);
  });

  test("happens once: nobody on the team gets the receipt again, or another one", async () => {
    const id = await take({ witnessId: ada.id });
    const confirm = (person: TestPerson) => world.as(person).post(confirmationPath(id), {});
    const replies = await runConcurrently(2, (at) => confirm(at === 0 ? omar : ada));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    for (const person of [omar, ada, sam])
      expect((await confirm(person)).body).toMatchObject({ code: "INVALID_STATE_TRANSITION" });
  });

  test("is for whoever took it and the witness, within a day: nobody else rewrites the words or gets the receipt", async () => {
    const rewrite = (id: string, person: TestPerson) =>
      world.as(person).post(confirmationPath(id), { description: "I was mistaken.", parties: null });
    const id = await take();
    for (const person of [ada, sam])
      expect((await rewrite(id, person)).body).toMatchObject({ code: "FORBIDDEN" });
    const canConfirm = async (person: TestPerson) =>
      (await world.as(person).get(`${incidentPath(id)}/intake`)).body.intake.canConfirm;
    expect([await canConfirm(omar), await canConfirm(ada)]).toEqual([true, false]);
    await heed.sql("update incidents set created_at = now() - interval '25 hours' where id = $1", [id]);
    expect((await rewrite(id, omar)).body).toMatchObject({ code: "INVALID_STATE_TRANSITION" });
    expect(await canConfirm(omar)).toBe(false);
    expect(await readIncident(id)).toMatchObject({
      description: NEW_INTAKE.description,
      unconfirmed: true,
      hasMailbox: false,
    });
    expect((await rewrite(await take({ witnessId: ada.id }), ada)).status).toBe(200);
  });

  test("keeps the words that were corrected in the history, for the team alone", async () => {
    const id = await take({ parties: "A man with a red hat", reportedPersonName: "Jo Exampel" });
    const { body } = await world.as(omar).post(confirmationPath(id), {
      description: "He only walked behind me.",
      parties: "",
      reportedPersonName: "Jo Example",
    });
    const { text } = await world.as(ada).get(`${incidentPath(id)}/history`);
    const entry = JSON.parse(text).history.find(({ action }: any) => action === "intake.confirmed");
    expect(entry).toMatchObject({
      from: `${NEW_INTAKE.description}\n\nA man with a red hat\n\nJo Exampel`,
      to: "corrected",
    });
    const { client } = await openMailbox(body.receipt);
    expect((await client.get("/api/mailbox")).text).not.toContain("red hat");
  });

  test("returns a lost receipt again, until the person has confirmed it", async () => {
    const id = await take();
    const key = randomUUID();
    const confirm = (person = omar) =>
      world.as(person).post(confirmationPath(id), OPEN, { ...under(key), opensMailbox: true });
    const { body: first } = await confirm();
    expect((await confirm()).body.receipt).toBe(first.receipt);
    expect((await confirm(ada)).status).toBe(409);
    const { mailbox } = world.as(omar);
    const words = first.receipt.split(" ");
    const entered = { 2: words[1], 6: words[5] };
    const done = await heed
      .visitor()
      .post("/api/mailbox/receipt/confirmation", { entered }, { headers: { cookie: mailbox ?? "" } });
    expect(done.status).toBe(204);
    expect((await confirm()).status).toBe(409);
  });

  test("stops giving the receipt again after ten minutes", async () => {
    const id = await take();
    const confirm = () => world.as(omar).post(confirmationPath(id), {}, under("one-key-of-this-test-alone"));
    expect((await confirm()).status).toBe(200);
    await heed.sql("update intakes set confirmed_at = now() - interval '11 minutes' where incident_id = $1", [
      id,
    ]);
    expect((await confirm()).status).toBe(409);
  });

  test("opens only the receipt on the team's device", async () => {
    const id = await take();
    const { headers } = await world.as(omar).post(confirmationPath(id), OPEN, { opensMailbox: true });
    const cookie = /((?:__Host-)?mailbox=[^;]+)/.exec(String(headers["set-cookie"]))?.[1] ?? "";
    const visitor = heed.visitor();
    const ask = { headers: { cookie } };
    expect((await visitor.get("/api/mailbox", ask)).status).toBe(401);
    expect((await visitor.post("/api/mailbox/messages", { body: "As the reporter." }, ask)).status).toBe(401);
    expect((await visitor.post("/api/mailbox/withdrawal", undefined, ask)).status).toBe(401);
    expect((await visitor.post("/api/mailbox/receipt/saved", undefined, ask)).status).toBe(204);
    const unsaved = await visitor.post("/api/mailbox/receipt/confirmation", { entered: {} }, ask);
    expect(unsaved.status).toBe(400);
  });

  test("shows the words to nobody who copied the cookie, once the person has them", async () => {
    const id = await take();
    const { body, headers } = await world.as(omar).post(confirmationPath(id), OPEN, { opensMailbox: true });
    const cookie = /((?:__Host-)?mailbox=[^;]+)/.exec(String(headers["set-cookie"]))?.[1] ?? "";
    const ask = { headers: { cookie } };
    const words: string[] = body.receipt.split(" ");
    const page = async () => (await heed.visitor().get("/mailbox", ask)).text;
    const shown = await page();
    expect(words.filter((word) => shown.includes(`>${word}<`))).toEqual(words);
    const entered = { 2: words[1], 6: words[5] };
    await heed.visitor().post("/api/mailbox/receipt/confirmation", { entered }, ask);
    const later = await page();
    expect(words.filter((word) => later.includes(`>${word}<`))).toEqual([]);
  });

  test("refuses a report that nobody took", async () => {
    const { id } = await world.report(maya, event);
    expect((await world.as(omar).post(confirmationPath(id), {})).status).toBe(409);
    expect((await readIncident(id)).hasMailbox).toBe(false);
  });
});
