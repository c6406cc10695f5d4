import { randomUUID } from "node:crypto";
import { Logger, runOnce } from "graphile-worker";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { sealText } from "#lib/crypto/sealed-text.ts";
import { toPublishedChangeKind, type OutboxEvent } from "#lib/jobs/outbox-events.ts";
import { queueDigests, queueNotificationMails, sweepNotifications } from "#lib/notifications/mails.ts";
import {
  countUnreadNotifications,
  listMailableNotifications,
  listNotifications,
  listNotificationSettings,
} from "#lib/notifications/queries.ts";
import { NOTIFICATION_KINDS } from "#lib/notifications/schema.ts";
import { saveNotificationSettings } from "#lib/notifications/notifications.ts";
import {
  attemptWebhookDeliveryAndFollowing,
  queueWebhookDeliveries,
  queueWebhookTestOrRedelivery,
  WebhookReceiverError,
} from "#lib/webhooks/deliveries.ts";
import type { WebhookPayload } from "#lib/webhooks/schema.ts";
import { sweepShortLivedRows } from "#lib/worker/sweep.ts";
import { MAX_OUTBOX_EVENTS_PER_BATCH, dispatchOutboxBatch } from "#lib/worker/dispatch.ts";
import { appendOutboxEvent, appendOutboxEvents } from "#lib/jobs/append-event.ts";
import { dispatchPendingEventsAndMails } from "#lib/worker/dispatcher.ts";
import { runWhileLocked } from "#e2e/support/row-lock.ts";
import { openTestPool } from "#e2e/support/test-pool.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Who is notified of which event. Everybody named here is close to it, and must not hear of what isn't theirs. */

type Name = (typeof NAMES)[number];
const NAMES = [
  "reporter",
  "otherReporter",
  "assignee",
  "responder",
  "disabledResponder",
  "formerResponder",
  "admin",
  "elsewhere",
  "orgAdmin",
  "orgViewer",
  "stranger",
] as const;

const id = {} as Record<Name, string>;
let organizationId: string;
let eventId: string;
let incidentId: string;

beforeAll(async () => {
  for (const name of NAMES) id[name] = (await createUser(name)).id;
  await prisma.user.update({ where: { id: id.disabledResponder }, data: { disabledAt: new Date() } });
  organizationId = (await createOrganization()).id;
  eventId = (await createEvent(organizationId)).id;
  const otherEvent = (await createEvent(organizationId)).id;
  const roles = [
    [id.reporter, "Reporter"],
    [id.otherReporter, "Reporter"],
    [id.assignee, "Responder"],
    [id.responder, "Responder"],
    [id.responder, "Reporter"],
    [id.disabledResponder, "Responder"],
    [id.admin, "Admin"],
  ] as const;
  for (const [userId, roleName] of roles)
    await prisma.eventRole.create({ data: { eventId, userId, roleName } });
  for (const roleName of ["Responder", "Admin"] as const)
    await prisma.eventRole.create({ data: { eventId: otherEvent, userId: id.elsewhere, roleName } });
  for (const [userId, role] of [
    [id.orgAdmin, "org_admin"],
    [id.orgViewer, "org_viewer"],
  ] as const)
    await prisma.organizationMember.create({ data: { organizationId, userId, role } });
  const people = { reporterId: id.reporter, assignedResponderId: id.assignee };
  incidentId = (await createIncident({ eventId, ...people })).id;
});

beforeEach(async () => {
  await prisma.outboxEvent.deleteMany();
  await prisma.notification.deleteMany();
  await prisma.notificationSetting.deleteMany();
  await sql.$executeRaw`truncate graphile_worker._private_jobs`;
});

type EventFields = Pick<OutboxEvent, "kind"> & Partial<OutboxEvent>;
const eventOf = (event: EventFields): OutboxEvent => ({
  actorId: null,
  organizationId,
  eventId,
  incidentId,
  ...event,
});
const append = (event: EventFields) => runTransaction((tx) => appendOutboxEvent(tx, eventOf(event)));
/** Appends an event and dispatches it. */
const dispatch = async (event: EventFields) => {
  await append(event);
  expect(await dispatchOutboxBatch()).toBe(1);
};

/** Ends the connection that waits for a lock. @returns whether there was one */
const terminateWaiting = async () => {
  const waiting = await sql.$queryRaw<unknown[]>`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return waiting.length > 0;
};

const nameOf = (userId: string) => NAMES.find((name) => id[name] === userId) ?? userId;

/** Who was notified, by name. */
async function recipients(event: EventFields): Promise<string[]> {
  await dispatch(event);
  const rows = await prisma.notification.findMany({ select: { userId: true } });
  await prisma.notification.deleteMany();
  return rows.map(({ userId }) => nameOf(userId)).toSorted();
}

const jobs = async (task: string): Promise<Record<string, any>[]> => {
  const rows = await sql.$queryRaw<{ payload: any }[]>`
    select j.payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = ${task} order by j.id`;
  return rows.map(({ payload }) => payload);
};

describe("recipients", () => {
  it("of a new report are the team", async () => {
    expect(await recipients({ kind: "incident.created", actorId: id.reporter })).toEqual([
      "admin",
      "assignee",
      "responder",
    ]);
  });

  it("of an assignment is the assignee, while on the team", async () => {
    const kind = "incident.assigned";
    expect(await recipients({ kind, actorId: id.admin, personIds: [id.assignee] })).toEqual(["assignee"]);
    for (const name of ["formerResponder", "elsewhere", "disabledResponder", "reporter", "orgAdmin"] as const)
      expect(await recipients({ kind, actorId: id.admin, personIds: [id[name]] }), name).toEqual([]);
  });

  it("of a new state are the reporter and the assignee", async () => {
    const kind = "incident.state";
    expect(await recipients({ kind, actorId: id.admin })).toEqual(["assignee", "reporter"]);
    expect(await recipients({ kind, actorId: id.assignee })).toEqual(["reporter"]);
  });

  it("of a message are the reporter when the team wrote, and the assignee when the reporter did", async () => {
    const kind = "message.created";
    expect(await recipients({ kind, actorId: id.responder })).toEqual(["reporter"]);
    expect(await recipients({ kind, actorId: id.reporter })).toEqual(["assignee"]);
  });

  it("of a reporter's message are all the team when nobody is assigned, or nobody who still may", async () => {
    for (const assignedResponderId of [null, id.formerResponder, id.disabledResponder]) {
      const other = await createIncident({ eventId, reporterId: id.reporter, assignedResponderId });
      expect(
        await recipients({ kind: "message.created", actorId: id.reporter, incidentId: other.id }),
      ).toEqual(["admin", "assignee", "responder"]);
    }
  });

  it("of an anonymous reporter's message are the whole team, since its writer is unknown", async () => {
    const anonymous = await createIncident({ eventId, reporterId: null });
    const event = { kind: "message.created", incidentId: anonymous.id } as const;
    expect(await recipients({ ...event, actorId: null })).toEqual(["admin", "assignee", "responder"]);
    expect(await recipients({ ...event, actorId: id.responder })).toEqual([]);
  });

  it.each([
    ["hidden", null],
    ["opened for a day", new Date(Date.now() + 86_400_000)],
  ])(
    "of what the reporter does are all the others on the team when the report is %s to its assignee",
    async (_, openedUntil) => {
      const people = { reporterId: id.reporter, assignedResponderId: id.assignee };
      const hidden = await createIncident({ eventId, ...people });
      await prisma.incidentReader.create({
        data: { access: "none", incidentId: hidden.id, userId: id.assignee, source: "reporter", openedUntil },
      });
      for (const kind of ["message.created", "message.fromParty", "incident.withdrawn"] as const)
        expect(await recipients({ kind, actorId: id.reporter, incidentId: hidden.id }), kind).toEqual([
          "admin",
          "responder",
        ]);
    },
  );

  it("of a note are who is mentioned, the assignee and earlier authors, as far as they are of the team", async () => {
    await prisma.teamNote.create({ data: { incidentId, authorId: id.admin, body: "An earlier one." } });
    await prisma.teamNote.create({
      data: { incidentId, authorId: id.formerResponder, body: "Another one." },
    });
    const mentioned = [id.responder, id.reporter, id.elsewhere, id.orgAdmin, id.disabledResponder];
    const note = { kind: "note.created" as const, personIds: mentioned };
    expect(await recipients({ ...note, actorId: id.otherReporter })).toEqual([
      "admin",
      "assignee",
      "responder",
    ]);
    expect(await recipients({ ...note, actorId: id.responder })).toEqual(["admin", "assignee"]);
    await prisma.teamNote.deleteMany({ where: { incidentId } });
  });

  it("of an escalation are the Admins of the event", async () => {
    expect(await recipients({ kind: "incident.escalated" })).toEqual(["admin"]);
  });

  it("of an urgent report are the whole team; of one that was marked critical, the Admins", async () => {
    expect(await recipients({ kind: "incident.urgent" })).toEqual(["admin", "assignee", "responder"]);
    expect(await recipients({ kind: "incident.critical" })).toEqual(["admin"]);
  });

  it("of a reporter's message on a resolved or closed report are the assignee and the Admins", async () => {
    const late = { kind: "message.afterClosing", actorId: id.reporter } as const;
    expect(await recipients(late)).toEqual(["admin", "assignee"]);
    const unassigned = await createIncident({ eventId, reporterId: id.reporter });
    expect(await recipients({ ...late, incidentId: unassigned.id })).toEqual(["admin"]);
  });

  it("of a file is the assignee; of other changes nobody", async () => {
    expect(await recipients({ kind: "file.added", actorId: id.reporter })).toEqual(["assignee"]);
    for (const kind of ["incident.changed", "incident.changedInside"] as const)
      expect(await recipients({ kind, actorId: id.admin }), kind).toEqual([]);
  });

  it("of a role are the person, while holding one, and the admins there", async () => {
    const inEvent = { kind: "role.changed" as const, incidentId: null, personIds: [id.responder] };
    expect(await recipients({ ...inEvent, actorId: id.elsewhere })).toEqual(["admin", "responder"]);
    expect(await recipients({ ...inEvent, personIds: [id.formerResponder] })).toEqual(["admin"]);
    const inOrganization = { ...inEvent, eventId: null, personIds: [id.orgViewer, id.stranger] };
    expect(await recipients(inOrganization)).toEqual(["orgAdmin", "orgViewer"]);
    expect(await recipients({ ...inOrganization, actorId: id.orgAdmin })).toEqual(["orgViewer"]);
  });

  it("of a Reporter who joins by an invite is nobody; of another role that is got so, the admins", async () => {
    const joins = {
      kind: "role.changed" as const,
      incidentId: null,
      actorId: id.responder,
      personIds: [id.responder],
    };
    expect(await recipients({ ...joins, state: "Reporter" })).toEqual([]);
    expect(await recipients({ ...joins, state: "Responder" })).toEqual(["admin"]);
  });

  it("of an invite are the admins there", async () => {
    const kind = "invite.changed";
    expect(await recipients({ kind, incidentId: null })).toEqual(["admin"]);
    expect(await recipients({ kind, incidentId: null, eventId: null })).toEqual(["orgAdmin"]);
  });

  it("are the outside person who reads it", async () => {
    await prisma.incidentReader.create({
      data: { access: "full", source: "outside", incidentId, userId: id.orgViewer },
    });
    const kinds: string[] = [];
    for (const kind of NOTIFICATION_KINDS)
      if ((await recipients({ kind, actorId: id.reporter })).includes("orgViewer")) kinds.push(kind);
    await prisma.incidentReader.deleteMany({ where: { source: "outside", incidentId } });
    expect(kinds).toEqual(
      expect.arrayContaining(["incident.withdrawn", "message.fromParty", "incident.emergency"]),
    );
  });

  it("of an emergency opening are the team and the reporter, without whoever opened it", async () => {
    const kind = "incident.emergency";
    expect(await recipients({ kind, actorId: id.responder })).toEqual(["admin", "assignee", "reporter"]);
  });

  it("are nobody when the report, the event or the organization is gone, or doesn't fit", async () => {
    const foreign = await createEvent((await createOrganization()).id);
    for (const gone of [
      { incidentId: randomUUID() },
      { eventId: randomUUID(), incidentId: null },
      { organizationId: randomUUID(), eventId: null, incidentId: null },
      { eventId: foreign.id },
    ])
      expect(await recipients({ kind: "incident.created", ...gone })).toEqual([]);
  });
});

describe("an outbox event", () => {
  it("waits with its transaction, and disappears with it", async () => {
    await append({ kind: "incident.created" });
    const failing = runTransaction(async (tx) => {
      await appendOutboxEvent(tx, eventOf({ kind: "incident.escalated" }));
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    expect((await prisma.outboxEvent.findMany()).map(({ kind }) => kind)).toEqual(["incident.created"]);
    expect(await prisma.notification.count()).toBe(0);
  });

  it("is dispatched once, however many dispatch at the same time", async () => {
    const events = Array.from({ length: MAX_OUTBOX_EVENTS_PER_BATCH * 3 + 7 }, () =>
      eventOf({ kind: "incident.created" }),
    );
    await runTransaction((tx) => appendOutboxEvents(tx, events));
    await Promise.all(Array.from({ length: 5 }, () => dispatchPendingEventsAndMails()));
    expect(await prisma.outboxEvent.count()).toBe(0);
    expect(await prisma.notification.count()).toBe(events.length * 3);
    await dispatchPendingEventsAndMails();
    expect(await prisma.notification.count()).toBe(events.length * 3);
  });

  it("is dispatched completely and once when the connection breaks in between", async () => {
    await append({ kind: "incident.created" });
    await append({ kind: "incident.assigned", personIds: [id.assignee] });
    const cut = runWhileLocked(
      "select 1 from users where id = $1 for update",
      [id.responder],
      () => dispatchOutboxBatch(),
      () => waitUntil("the dispatcher to wait for the row", terminateWaiting),
    );
    await expect(cut).rejects.toThrow();
    expect([await prisma.outboxEvent.count(), await prisma.notification.count()]).toEqual([2, 0]);
    await dispatchPendingEventsAndMails();
    expect([await prisma.outboxEvent.count(), await prisma.notification.count()]).toEqual([0, 4]);
  });

  it("that can't be dispatched holds up no other, and is tried again later and later", async () => {
    const marked = await createIncident({ eventId, reporterId: id.reporter });
    await prisma.$executeRawUnsafe(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`);
    await prisma.$executeRawUnsafe(`create trigger refused before insert on notifications for each row
      when (new.incident_id = '${marked.id}') execute function refuse()`);
    await append({ kind: "incident.created", incidentId: marked.id });
    await append({ kind: "incident.created" });
    await dispatchPendingEventsAndMails();
    expect(await prisma.notification.count()).toBe(3);
    const waits = async () => {
      const [event] = await prisma.outboxEvent.findMany();
      return { failures: event?.failures, ms: (event?.dueAt.getTime() ?? 0) - Date.now() };
    };
    const first = await waits();
    expect(first.failures).toBe(1);
    expect(first.ms).toBeLessThanOrEqual(1000);
    await prisma.outboxEvent.updateMany({ data: { dueAt: new Date(0), failures: 9 } });
    await dispatchPendingEventsAndMails();
    const tenth = await waits();
    expect(tenth.failures).toBe(10);
    expect(tenth.ms).toBeGreaterThan(500_000);
    await dispatchPendingEventsAndMails();
    expect((await waits()).failures).toBe(10);
    await prisma.$executeRawUnsafe("drop function refuse cascade");
    await prisma.outboxEvent.updateMany({ data: { dueAt: new Date(0) } });
    await dispatchPendingEventsAndMails();
    expect([await prisma.outboxEvent.count(), await prisma.notification.count()]).toEqual([0, 6]);
  });

  it("of a kind that a newer version knows is left to that", async () => {
    await prisma.outboxEvent.create({ data: { kind: "incident.praised", organizationId } });
    expect(await dispatchPendingEventsAndMails(), "it isn't tried").toBe(0);
    expect(await prisma.outboxEvent.count()).toBe(1);
  });

  it("holds ids and a kind, and no text of the report", async () => {
    const secret = { title: "Marker-7781 in a title", description: "Marker-7781", location: "Marker-7781" };
    const marked = await createIncident({ eventId, reporterId: id.reporter, ...secret });
    for (const kind of ["incident.created", "incident.state", "message.created", "note.created"] as const)
      await append({ kind, incidentId: marked.id, actorId: id.admin, personIds: [id.responder] });
    const outbox = JSON.stringify(await sql.$queryRaw`select to_json(o) from outbox_events o`);
    await dispatchPendingEventsAndMails();
    await mailsAreDue();
    expect(await prisma.notification.count()).toBeGreaterThan(3);
    const [everything] = await sql.$queryRaw<{ text: string }[]>`
      select (select json_agg(n)::text from notifications n)
        || (select json_agg(j)::text from graphile_worker._private_jobs j) as text`;
    for (const text of [outbox, everything?.text]) {
      expect(text).toContain(marked.id);
      expect(text).not.toContain("Marker-7781");
    }
  });
});

describe("choices", () => {
  const choose = (name: Name, inApp: boolean, mail: "off" | "now" | "hourly" | "daily") =>
    saveNotificationSettings(id[name], [{ kind: "incident.created", inApp, mail }]);

  it("decide over list, mail at once and digest", async () => {
    await choose("admin", true, "off");
    await choose("assignee", false, "now");
    await choose("responder", true, "daily");
    const before = new Date();
    await dispatch({ kind: "incident.created" });
    const rows = await prisma.notification.findMany();
    const of = (name: Name) => rows.find(({ userId }) => userId === id[name]);
    expect(of("admin")).toMatchObject({ inApp: true, digestDue: null });
    expect(of("assignee")).toMatchObject({ inApp: false, digestDue: null });
    const due = of("responder")?.digestDue as Date;
    expect([due.getUTCHours(), due.getUTCMinutes(), due.getUTCSeconds()]).toEqual([8, 0, 0]);
    expect(due > before && due.getTime() - Date.now() <= 24 * 3600_000).toBe(true);
    expect([of("admin")?.mailDue, of("responder")?.mailDue]).toEqual([null, null]);
    expect(of("assignee")?.mailDue).toBeInstanceOf(Date);
    await choose("admin", false, "off");
    await choose("responder", true, "hourly");
    await prisma.notification.deleteMany();
    await dispatch({ kind: "incident.created" });
    const again = await prisma.notification.findMany();
    expect(again.map(({ userId }) => nameOf(userId)).toSorted()).toEqual(["assignee", "responder"]);
    const hourly = again.find(({ digestDue }) => digestDue)?.digestDue as Date;
    expect(hourly.getTime() % 3600_000).toBe(0);
    expect(hourly.getTime() - Date.now()).toBeLessThanOrEqual(3600_000);
  });

  it("are the defaults until something else was chosen, kind by kind", async () => {
    const before = await listNotificationSettings(id.admin);
    await choose("admin", false, "daily");
    const after = await listNotificationSettings(id.admin);
    expect(after.find(({ kind }) => kind === "incident.created")).toEqual({
      kind: "incident.created",
      inApp: false,
      mail: "daily",
    });
    const others = (settings: typeof before) => settings.filter(({ kind }) => kind !== "incident.created");
    expect(others(after)).toEqual(others(before));
  });
});

describe("the list", () => {
  it("shows what may still be seen, and counts no more than that", async () => {
    await dispatch({ kind: "incident.created" });
    await dispatch({ kind: "message.created", actorId: id.reporter });
    const list = async () => {
      const actor = await findActorById(id.assignee);
      if (!actor) throw new Error("no actor");
      const { notifications, total, unread } = await listNotifications(actor, { page: 1, limit: 20 });
      return [notifications.map(({ kind }) => kind), total, unread];
    };
    expect(await list()).toEqual([["message.created", "incident.created"], 2, 2]);
    const where = { eventId, userId: id.assignee };
    await prisma.eventRole.deleteMany({ where });
    expect(await list()).toEqual([[], 0, 0]);
    await prisma.eventRole.create({ data: { ...where, roleName: "Reporter" } });
    expect(await list()).toEqual([[], 0, 0]);
    await prisma.eventRole.create({ data: { ...where, roleName: "Responder" } });
    await prisma.eventRole.deleteMany({ where: { ...where, roleName: "Reporter" } });
    expect(await list()).toEqual([["message.created", "incident.created"], 2, 2]);
  });
});

describe("the list of an outside person", () => {
  it("has what was notified of an incident while they read it, and so have their mails", async () => {
    const key = { incidentId, userId: id.orgViewer };
    await prisma.incidentReader.create({ data: { ...key, access: "full", source: "outside" } });
    await dispatch({ kind: "incident.created" });
    const ids = (await prisma.notification.findMany()).map((one) => one.id);
    const count = async () => {
      const contact = await findActorById(id.orgViewer);
      if (!contact) throw new Error("no actor");
      const { total } = await listNotifications(contact, { page: 1, limit: 20 });
      const mailable = await listMailableNotifications(contact, ids);
      return [total, mailable.length, await countUnreadNotifications(contact)];
    };
    expect(await count()).toEqual([1, 1, 1]);
    await prisma.incidentReader.delete({ where: { incidentId_userId: key } });
    expect(await count()).toEqual([0, 0, 0]);
  });
});

/** Mails that wait are due now, and queued. */
async function mailsAreDue(): Promise<void> {
  await sql.$executeRaw`update notifications set mail_due = now() - interval '1 second' where mail_due is not null`;
  await queueNotificationMails();
}

describe("mails", () => {
  let began = 0;
  beforeEach(() => {
    began = Date.now();
  });
  /** Who is to get a mail how many seconds after something that this test did, by kind. */
  const waiting = async (name: Name) => {
    const rows = await prisma.notification.findMany({ where: { userId: id[name], mailDue: { not: null } } });
    const ended = Date.now();
    const after = (due = 0) =>
      [3, 60].find((seconds) => due - seconds * 1000 >= began && due - seconds * 1000 <= ended) ??
      `${due - ended} ms from now`;
    return Object.fromEntries(rows.map(({ kind, mailDue }) => [kind, after(mailDue?.getTime())]));
  };
  /** Kinds in each mail of one person. */
  const mailed = async (name: Name) => {
    const found = (await jobs("mail.notification")).filter(({ userId }) => userId === id[name]);
    const rows = await prisma.notification.findMany();
    const kindOf = (one: string) => rows.find((row) => row.id === one)?.kind;
    return found.map(({ notificationIds }) => notificationIds.map(kindOf).toSorted());
  };
  const assigned = { kind: "incident.assigned", actorId: null, personIds: [] as string[] } as const;

  it("of what calls for somebody leave in seconds, others when a minute has gathered them", async () => {
    await dispatch({ kind: "incident.created", actorId: id.reporter });
    await dispatch({ ...assigned, personIds: [id.assignee] });
    await dispatch({ kind: "incident.escalated" });
    await dispatch({ kind: "message.created", actorId: id.reporter });
    await dispatch({ kind: "incident.state", actorId: id.admin });
    expect(await waiting("assignee")).toEqual({
      "incident.created": 3,
      "incident.assigned": 3,
      "message.created": 3,
      "incident.state": 60,
    });
    expect(await waiting("admin")).toEqual({ "incident.created": 3, "incident.escalated": 3 });
    expect(await waiting("reporter")).toEqual({ "incident.state": 60 });
    // Still to come, however long this test has taken.
    await sql.$executeRaw`update notifications set mail_due = mail_due + interval '1 minute'`;
    await queueNotificationMails();
    expect(await jobs("mail.notification")).toEqual([]);
  });

  it("are one a person and event, with all that waits, as soon as one part of it is due", async () => {
    for (let move = 0; move < 4; move += 1) await dispatch({ kind: "incident.state", actorId: id.admin });
    await dispatch({ ...assigned, personIds: [id.assignee] });
    const another = { reporterId: id.reporter, assignedResponderId: id.assignee };
    const here = await createIncident({ eventId, ...another });
    const elsewhere = await createEvent(organizationId);
    await prisma.eventRole.create({
      data: { eventId: elsewhere.id, userId: id.assignee, roleName: "Responder" },
    });
    const there = await createIncident({ eventId: elsewhere.id, ...another });
    const moved = { kind: "incident.state", actorId: id.admin } as const;
    await dispatch({ ...moved, incidentId: here.id });
    await dispatch({ ...moved, eventId: elsewhere.id, incidentId: there.id });
    await sql.$executeRaw`update notifications set mail_due = now() where kind = 'incident.assigned'`;
    await Promise.all(Array.from({ length: 5 }, () => queueNotificationMails()));
    const states = Array.from({ length: 5 }, () => "incident.state");
    expect(await mailed("assignee")).toEqual([["incident.assigned", ...states]]);
    expect(await mailed("reporter")).toEqual([]);
    await mailsAreDue();
    await mailsAreDue();
    expect(await mailed("assignee")).toEqual([["incident.assigned", ...states], ["incident.state"]]);
    expect(await mailed("reporter")).toEqual([states]);
  });

  it("don't call twice in a minute for the same, but at once for something else", async () => {
    const message = { kind: "message.created", actorId: id.reporter } as const;
    await dispatch(message);
    await mailsAreDue();
    await dispatch(message);
    await dispatch(message);
    await dispatch({ ...assigned, personIds: [id.assignee] });
    expect(await waiting("assignee")).toEqual({ "message.created": 60, "incident.assigned": 3 });
    await mailsAreDue();
    expect(await mailed("assignee")).toEqual([
      ["message.created"],
      ["incident.assigned", "message.created", "message.created"],
    ]);
    await sql.$executeRaw`update notifications set mailed_at = mailed_at - interval '1 minute'`;
    await dispatch(message);
    expect(await waiting("assignee")).toEqual({ "message.created": 3 });
  });

  it.each([
    "incident.created",
    "incident.urgent",
    "incident.escalated",
    "incident.assigned",
    "message.created",
  ] as const)(
    "of %s about many reports of an event are one in seconds, and one for the minute's rest",
    async (kind) => {
      const event = {
        kind,
        personIds: [id.assignee],
        actorId: kind === "message.created" ? id.reporter : null,
      };
      const name = kind === "incident.escalated" ? "admin" : "assignee";
      const another = async () => {
        const one = await createIncident({
          eventId,
          reporterId: id.reporter,
          assignedResponderId: id.assignee,
        });
        await dispatch({ ...event, incidentId: one.id });
      };
      await another();
      await another();
      expect(await waiting(name)).toEqual({ [kind]: 3 });
      await mailsAreDue();
      await another();
      await another();
      await another();
      expect(await waiting(name)).toEqual({ [kind]: 60 });
      await mailsAreDue();
      expect(await mailed(name)).toEqual([Array(2).fill(kind), Array(3).fill(kind)]);
      const elsewhere = await createEvent(organizationId);
      const userId = id[name];
      await prisma.eventRole.create({ data: { eventId: elsewhere.id, userId, roleName: "Admin" } });
      const there = await createIncident({ eventId: elsewhere.id, assignedResponderId: userId });
      await dispatch({
        ...event,
        eventId: elsewhere.id,
        incidentId: there.id,
        personIds: [userId],
        actorId: null,
      });
      expect(await waiting(name)).toEqual({ [kind]: 3 });
    },
  );

  it("of roles and invites are one a kind and place", async () => {
    await saveNotificationSettings(id.orgAdmin, [
      { kind: "role.changed", inApp: true, mail: "now" },
      { kind: "invite.changed", inApp: true, mail: "now" },
    ]);
    const inOrganization = { eventId: null, incidentId: null, actorId: null };
    await dispatch({ ...inOrganization, kind: "role.changed", personIds: [id.orgViewer] });
    await dispatch({ ...inOrganization, kind: "role.changed", personIds: [id.stranger] });
    await dispatch({ ...inOrganization, kind: "invite.changed" });
    await mailsAreDue();
    expect((await mailed("orgAdmin")).toSorted((a, b) => a.length - b.length)).toEqual([
      ["invite.changed"],
      ["role.changed", "role.changed"],
    ]);
  });
});

describe("digests", () => {
  it("are one job a person, once, for what is due", async () => {
    await saveNotificationSettings(id.admin, [{ kind: "incident.created", inApp: true, mail: "hourly" }]);
    await saveNotificationSettings(id.responder, [{ kind: "incident.created", inApp: true, mail: "hourly" }]);
    for (let round = 0; round < 2; round += 1) await dispatch({ kind: "incident.created" });
    // Still to come, also when the hour ends amid this test.
    await sql.$executeRaw`update notifications set digest_due = digest_due + interval '1 hour'`;
    await queueDigests();
    expect(await jobs("mail.digest")).toEqual([]);
    await sql.$executeRaw`update notifications set digest_due = now() - interval '1 second' where digest_due is not null`;
    await Promise.all([queueDigests(), queueDigests()]);
    await queueDigests();
    const queued = await jobs("mail.digest");
    expect(queued.map(({ userId }) => nameOf(userId)).toSorted()).toEqual(["admin", "responder"]);
    for (const { notificationIds } of queued) expect(notificationIds).toHaveLength(2);
  });

  it("are swept with what is old", async () => {
    for (let round = 0; round < 3; round += 1) await dispatch({ kind: "incident.escalated" });
    const [old, mailOnly] = await prisma.notification.findMany();
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    await prisma.notification.update({ where: { id: old?.id ?? "" }, data: { createdAt: ago(181) } });
    await prisma.notification.update({
      where: { id: mailOnly?.id ?? "" },
      data: { createdAt: ago(8), inApp: false },
    });
    await sweepNotifications();
    // Its mail still waits.
    expect(await prisma.notification.count()).toBe(2);
    await mailsAreDue();
    await sweepNotifications();
    expect(await prisma.notification.count()).toBe(1);
  });
});

describe("webhook deliveries", () => {
  const createWebhook = (more = {}) =>
    prisma.webhook.create({
      data: {
        organizationId,
        url: "http://127.0.0.1:1/",
        secret: sealText("webhook", "s"),
        kinds: ["incident.created"],
        ...more,
      },
    });
  const listDeliveries = (webhookId: string) => prisma.webhookDelivery.findMany({ where: { webhookId } });
  const hide = (hiddenId: string) =>
    prisma.incidentReader.create({
      data: { access: "none", incidentId: hiddenId, userId: id.responder, source: "team" },
    });

  it("aren't queued for an incident that was hidden after its event was claimed", async () => {
    const [open, hidden] = [await createIncident({ eventId }), await createIncident({ eventId })];
    const webhook = await createWebhook();
    const claimed = [open, hidden].map((incident) => ({
      ...eventOf({ kind: "incident.created", incidentId: incident.id }),
      kind: "incident.created" as const,
      deduplicationId: randomUUID(),
      at: new Date(),
      publicAt: new Date(),
      reporterId: null,
      state: null,
      personIds: [],
      incidentId: incident.id,
    }));
    await hide(hidden.id);
    await runTransaction((tx) => queueWebhookDeliveries(tx, claimed));
    const deliveries = await listDeliveries(webhook.id);
    expect(deliveries.map(({ payload }) => (payload as { incidentId: string }).incidentId)).toEqual([
      open.id,
    ]);
    await prisma.webhook.delete({ where: { id: webhook.id } });
  });

  it("take turns by organization, however many one of them has waiting", async () => {
    await sql.$executeRaw`select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))`;
    const organizations = [organizationId, (await createOrganization()).id, (await createOrganization()).id];
    const nameOfDelivery = new Map<string, string>();
    const queue = async (name: string, organization: string | undefined) => {
      const webhook = await createWebhook({ organizationId: organization });
      const payload = { kind: "incident.created", at: "2026-03-05T13:45:00.000Z", organizationId, eventId };
      const queued = {
        webhookId: webhook.id,
        payload: { ...payload, incidentId, state: null } as WebhookPayload,
      };
      nameOfDelivery.set(await runTransaction((tx) => queueWebhookTestOrRedelivery(tx, queued)), name);
    };
    for (const receiver of ["a1", "a2", "a3", "a4", "a5"]) await queue(receiver, organizations[0]);
    for (const receiver of ["b1", "b2"]) await queue(receiver, organizations[1]);
    await queue("c1", organizations[2]);
    const order: (string | undefined)[] = [];
    const deliver = async (job: unknown) => {
      const { deliveryId } = job as { deliveryId: string };
      order.push(nameOfDelivery.get(deliveryId));
      await attemptWebhookDeliveryAndFollowing(deliveryId, true);
    };
    const pgPool = openTestPool(process.env.DATABASE_URL ?? "", 2);
    const logger = new Logger(() => () => {});
    await runOnce({ pgPool, logger, taskList: { "webhook.deliver": deliver } });
    await pgPool.end();
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"]);
    await prisma.webhook.deleteMany({ where: { organizationId: { in: organizations } } });
  });

  it("are deleted unsent where the incident was hidden while they were queued", async () => {
    const { id: hiddenId } = await createIncident({ eventId });
    const webhook = await createWebhook();
    await dispatch({ kind: "incident.created", incidentId: hiddenId });
    const [{ id: deliveryId } = { id: "" }] = await listDeliveries(webhook.id);
    await hide(hiddenId);
    await attemptWebhookDeliveryAndFollowing(deliveryId, false);
    expect(await listDeliveries(webhook.id)).toEqual([]);
    expect(await prisma.webhook.findUnique({ where: { id: webhook.id } })).toMatchObject({
      failingSince: null,
    });
    await prisma.webhook.delete({ where: { id: webhook.id } });
  });

  it("fail for good, with rounded times, at the attempt that turns their webhook off", async () => {
    const webhook = await createWebhook({ failingSince: new Date(Date.now() - 4 * 86_400_000) });
    await dispatch({ kind: "incident.created", actorId: null });
    const [{ id: deliveryId } = { id: "" }] = await listDeliveries(webhook.id);
    await attemptWebhookDeliveryAndFollowing(deliveryId, false);
    expect(await prisma.webhook.findUnique({ where: { id: webhook.id } })).toMatchObject({
      disabledReason: "failures",
    });
    const [delivery] = await listDeliveries(webhook.id);
    expect(delivery).toMatchObject({ state: "failed", attempts: 1 });
    const quarterMs = 15 * 60_000;
    for (const time of [delivery?.createdAt, delivery?.attemptedAt])
      expect((time?.getTime() ?? 1) % quarterMs).toBe(0);
    await prisma.webhook.delete({ where: { id: webhook.id } });
  });

  it("wait with exact times for their next attempt while the webhook hasn't failed for three days", async () => {
    const webhook = await createWebhook({ failingSince: new Date(Date.now() - 2 * 86_400_000) });
    await append({ kind: "incident.created", actorId: null });
    await sql.$executeRaw`update outbox_events set at = '2026-03-05T13:51:42.194Z'::timestamptz`;
    await dispatchOutboxBatch();
    const [{ id: deliveryId } = { id: "" }] = await listDeliveries(webhook.id);
    await expect(attemptWebhookDeliveryAndFollowing(deliveryId, false)).rejects.toThrow(WebhookReceiverError);
    const [delivery] = await listDeliveries(webhook.id);
    expect(delivery).toMatchObject({ state: "waiting", createdAt: new Date("2026-03-05T13:51:42.194Z") });
    await prisma.webhook.delete({ where: { id: webhook.id } });
  });
});

describe("times", () => {
  const at = "2026-03-05T13:51:42.194Z";
  const quarter = "2026-03-05T13:45:00.000Z";
  const day = "2026-03-05T00:00:00.000Z";
  const cases = [
    ["the quarter of an hour of a report that nobody sent by name", "incident.created", null, quarter],
    ["the quarter of an hour of a message from a mailbox", "message.created", null, quarter],
    ["the UTC day of a letter", "message.fromParty", null, day],
    ["the exact time of what somebody did by name", "incident.created", "reporter", at],
  ] as const;

  const dispatchAt = async (kind: OutboxEvent["kind"], actor: Name | null) => {
    await append({ kind, actorId: actor && id[actor] });
    await sql.$executeRaw`update outbox_events set at = ${at}::timestamptz`;
    expect(await dispatchOutboxBatch()).toBe(1);
  };

  it.each(cases)("of notifications are %s", async (_, kind, actor, expected) => {
    await dispatchAt(kind, actor);
    const rows = await prisma.notification.findMany();
    expect(rows.length).toBeGreaterThan(0);
    for (const { createdAt } of rows) expect(createdAt.toISOString()).toBe(expected);
    const reader = await findActorById(id.assignee);
    const { notifications } = await listNotifications(reader as NonNullable<typeof reader>, {
      page: 1,
      limit: 20,
    });
    for (const { createdAt } of notifications)
      expect(new Date(createdAt as Date).toISOString()).toBe(expected);
  });

  it.each(cases)("of a finished webhook delivery are %s", async (_, kind, actor, expected) => {
    const changeKind = toPublishedChangeKind(kind);
    const webhook = await prisma.webhook.create({
      data: {
        organizationId,
        url: "http://127.0.0.1:1/",
        secret: sealText("webhook", "s"),
        kinds: [changeKind],
      },
    });
    await dispatchAt(kind, actor);
    const [waiting] = await prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });
    expect(waiting?.payload).toMatchObject({ at: expected });
    await attemptWebhookDeliveryAndFollowing(waiting?.id ?? "", true);
    const [{ createdAt, attemptedAt, state } = {}] = await prisma.webhookDelivery.findMany({
      where: { webhookId: webhook.id },
    });
    expect([state, createdAt?.toISOString()]).toEqual(["failed", expected]);
    const step = { [at]: 1, [quarter]: 15 * 60_000, [day]: 86_400_000 }[expected] ?? 0;
    expect((attemptedAt?.getTime() ?? 0) % step).toBe(0);
    await prisma.webhook.delete({ where: { id: webhook.id } });
  });

  it("of mails that went out are forgotten after ten minutes", async () => {
    await dispatch({ kind: "incident.created" });
    await mailsAreDue();
    const count = () => prisma.notification.count({ where: { mailedAt: { not: null } } });
    const mailed = await count();
    expect(mailed).toBeGreaterThan(0);
    await sweepShortLivedRows();
    expect(await count()).toBe(mailed);
    await sql.$executeRaw`update notifications set mailed_at = mailed_at - interval '11 minutes'`;
    await sweepShortLivedRows();
    expect(await count()).toBe(0);
  });
});
