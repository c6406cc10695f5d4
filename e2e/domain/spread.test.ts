import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { actorNamed } from "#lib/accounts/actor.ts";
import { db } from "#lib/db.ts";
import { Told, type Fact } from "#lib/notifications/facts.ts";
import { queueDigests, sweepNotifications } from "#lib/notifications/mails.ts";
import { listNotifications, settingsOf } from "#lib/notifications/queries.ts";
import { saveSettings } from "#lib/notifications/notifications.ts";
import { spread } from "#lib/notifications/spread.ts";
import { newEvent, newIncident, newOrganization, newUser } from "#e2e/support/rows.ts";

/** Who is told of what. Everybody named here stands close by, and must not hear of what isn't theirs. */

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
  for (const name of NAMES) id[name] = (await newUser(name)).id;
  await db.user.update({ where: { id: id.disabledResponder }, data: { disabledAt: new Date() } });
  organizationId = (await newOrganization()).id;
  eventId = (await newEvent(organizationId)).id;
  const otherEvent = (await newEvent(organizationId)).id;
  const roles = [
    [id.reporter, "Reporter"],
    [id.otherReporter, "Reporter"],
    [id.assignee, "Responder"],
    [id.responder, "Responder"],
    [id.responder, "Reporter"],
    [id.disabledResponder, "Responder"],
    [id.admin, "Admin"],
  ] as const;
  for (const [userId, roleName] of roles) await db.eventRole.create({ data: { eventId, userId, roleName } });
  for (const roleName of ["Responder", "Admin"] as const)
    await db.eventRole.create({ data: { eventId: otherEvent, userId: id.elsewhere, roleName } });
  for (const [userId, role] of [
    [id.orgAdmin, "org_admin"],
    [id.orgViewer, "org_viewer"],
  ] as const)
    await db.organizationMember.create({ data: { organizationId, userId, role } });
  const people = { reporterId: id.reporter, assignedResponderId: id.assignee };
  incidentId = (await newIncident({ eventId, ...people })).id;
});

beforeEach(async () => {
  await db.notification.deleteMany();
  await db.notificationChoice.deleteMany();
  await db.$executeRaw`truncate graphile_worker._private_jobs`;
});

const told = (fact: Pick<Fact, "kind"> & Partial<Fact>) =>
  Told.parse({ actorId: null, organizationId, eventId, incidentId, cause: randomUUID(), ...fact });

const nameOf = (userId: string) => NAMES.find((name) => id[name] === userId) ?? userId;

/** Who was told, by name. */
async function recipients(fact: Parameters<typeof told>[0]): Promise<string[]> {
  await spread(told(fact));
  const rows = await db.notification.findMany({ select: { userId: true } });
  await db.notification.deleteMany();
  return rows.map(({ userId }) => nameOf(userId)).toSorted();
}

const jobs = async (task: string): Promise<Record<string, any>[]> => {
  const rows = await db.$queryRaw<{ payload: any }[]>`
    select j.payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = ${task}`;
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
      const other = await newIncident({ eventId, reporterId: id.reporter, assignedResponderId });
      expect(
        await recipients({ kind: "message.created", actorId: id.reporter, incidentId: other.id }),
      ).toEqual(["admin", "assignee", "responder"]);
    }
  });

  it("of an anonymous reporter's message are the team, who can't be told apart from its writer", async () => {
    const anonymous = await newIncident({ eventId, reporterId: null });
    const fact = { kind: "message.created", incidentId: anonymous.id } as const;
    expect(await recipients({ ...fact, actorId: null })).toEqual(["admin", "assignee", "responder"]);
    expect(await recipients({ ...fact, actorId: id.responder })).toEqual([]);
  });

  it("of a note are who is mentioned, the assignee and earlier authors, as far as they are of the team", async () => {
    await db.teamNote.create({ data: { incidentId, authorId: id.admin, body: "An earlier one." } });
    await db.teamNote.create({ data: { incidentId, authorId: id.formerResponder, body: "Another one." } });
    const mentioned = [id.responder, id.reporter, id.elsewhere, id.orgAdmin, id.disabledResponder];
    const note = { kind: "note.created" as const, personIds: mentioned };
    expect(await recipients({ ...note, actorId: id.otherReporter })).toEqual([
      "admin",
      "assignee",
      "responder",
    ]);
    expect(await recipients({ ...note, actorId: id.responder })).toEqual(["admin", "assignee"]);
    await db.teamNote.deleteMany({ where: { incidentId } });
  });

  it("of an escalation are the Admins of the event", async () => {
    expect(await recipients({ kind: "incident.escalated" })).toEqual(["admin"]);
  });

  it("of a file is the assignee; of other changes nobody", async () => {
    expect(await recipients({ kind: "file.added", actorId: id.reporter })).toEqual(["assignee"]);
    expect(await recipients({ kind: "incident.changed", actorId: id.admin })).toEqual([]);
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

  it("are nobody when the report, the event or the organization is gone, or doesn't fit", async () => {
    const foreign = await newEvent((await newOrganization()).id);
    for (const gone of [
      { incidentId: randomUUID() },
      { eventId: randomUUID(), incidentId: null },
      { organizationId: randomUUID(), eventId: null, incidentId: null },
      { eventId: foreign.id },
    ])
      expect(await recipients({ kind: "incident.created", ...gone })).toEqual([]);
  });
});

describe("a fact", () => {
  it("that is spread twice is told once, in the list and by mail", async () => {
    const fact = told({ kind: "incident.created", actorId: id.reporter });
    await Promise.all([spread(fact), spread(fact)]);
    await spread(fact);
    expect(await db.notification.count()).toBe(3);
    expect(await jobs("mail.notification")).toHaveLength(3);
  });

  it("leaves ids and a kind, and no word of the report", async () => {
    const secret = { title: "Marker-7781 in a title", description: "Marker-7781", location: "Marker-7781" };
    const marked = await newIncident({ eventId, reporterId: id.reporter, ...secret });
    for (const kind of ["incident.created", "incident.state", "message.created", "note.created"] as const)
      await spread(told({ kind, incidentId: marked.id, actorId: id.admin, personIds: [id.responder] }));
    expect(await db.notification.count()).toBeGreaterThan(3);
    const [everything] = await db.$queryRaw<{ text: string }[]>`
      select (select json_agg(n)::text from notifications n)
        || (select json_agg(j)::text from graphile_worker._private_jobs j) as text`;
    expect(everything?.text).toContain(marked.id);
    expect(everything?.text).not.toContain("Marker-7781");
  });
});

describe("choices", () => {
  const choose = (name: Name, inApp: boolean, mail: "off" | "now" | "hourly" | "daily") =>
    saveSettings(id[name], [{ kind: "incident.created", inApp, mail }]);

  it("decide over list, mail at once and digest", async () => {
    await choose("admin", true, "off");
    await choose("assignee", false, "now");
    await choose("responder", true, "daily");
    const before = new Date();
    await spread(told({ kind: "incident.created" }));
    const rows = await db.notification.findMany();
    const of = (name: Name) => rows.find(({ userId }) => userId === id[name]);
    expect(of("admin")).toMatchObject({ inApp: true, digestDue: null });
    expect(of("assignee")).toMatchObject({ inApp: false, digestDue: null });
    const due = of("responder")?.digestDue as Date;
    expect([due.getUTCHours(), due.getUTCMinutes(), due.getUTCSeconds()]).toEqual([8, 0, 0]);
    expect(due > before && due.getTime() - before.getTime() <= 24 * 3600_000).toBe(true);
    expect(await jobs("mail.notification")).toEqual([{ notificationId: of("assignee")?.id }]);
    await choose("admin", false, "off");
    await choose("responder", true, "hourly");
    await db.notification.deleteMany();
    await spread(told({ kind: "incident.created" }));
    const again = await db.notification.findMany();
    expect(again.map(({ userId }) => nameOf(userId)).toSorted()).toEqual(["assignee", "responder"]);
    const hourly = again.find(({ digestDue }) => digestDue)?.digestDue as Date;
    expect(hourly.getTime() % 3600_000).toBe(0);
    expect(hourly.getTime() - Date.now()).toBeLessThanOrEqual(3600_000);
  });

  it("are the defaults until something else was chosen, kind by kind", async () => {
    const before = await settingsOf(id.admin);
    await choose("admin", false, "daily");
    const after = await settingsOf(id.admin);
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
    await spread(told({ kind: "incident.created" }));
    await spread(told({ kind: "message.created", actorId: id.reporter }));
    const list = async () => {
      const actor = await actorNamed(id.assignee);
      if (!actor) throw new Error("no actor");
      const { notifications, total, unread } = await listNotifications(actor, { page: 1, limit: 20 });
      return [notifications.map(({ kind }) => kind), total, unread];
    };
    expect(await list()).toEqual([["message.created", "incident.created"], 2, 2]);
    const where = { eventId, userId: id.assignee };
    await db.eventRole.deleteMany({ where });
    expect(await list()).toEqual([[], 0, 0]);
    await db.eventRole.create({ data: { ...where, roleName: "Reporter" } });
    expect(await list()).toEqual([[], 0, 0]);
    await db.eventRole.create({ data: { ...where, roleName: "Responder" } });
    await db.eventRole.deleteMany({ where: { ...where, roleName: "Reporter" } });
    expect(await list()).toEqual([["message.created", "incident.created"], 2, 2]);
  });
});

describe("digests", () => {
  it("are one job a person, once, for what is due", async () => {
    await saveSettings(id.admin, [{ kind: "incident.created", inApp: true, mail: "hourly" }]);
    await saveSettings(id.responder, [{ kind: "incident.created", inApp: true, mail: "hourly" }]);
    for (let round = 0; round < 2; round += 1) await spread(told({ kind: "incident.created" }));
    await queueDigests();
    expect(await jobs("mail.digest")).toEqual([]);
    await db.$executeRaw`update notifications set digest_due = now() - interval '1 second' where digest_due is not null`;
    await Promise.all([queueDigests(), queueDigests()]);
    await queueDigests();
    const queued = await jobs("mail.digest");
    expect(queued.map(({ userId }) => nameOf(userId)).toSorted()).toEqual(["admin", "responder"]);
    for (const { notificationIds } of queued) expect(notificationIds).toHaveLength(2);
  });

  it("are swept with what is old", async () => {
    for (let round = 0; round < 3; round += 1) await spread(told({ kind: "incident.escalated" }));
    const [old, mailOnly] = await db.notification.findMany();
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    await db.notification.update({ where: { id: old?.id ?? "" }, data: { createdAt: ago(181) } });
    await db.notification.update({
      where: { id: mailOnly?.id ?? "" },
      data: { createdAt: ago(8), inApp: false },
    });
    await sweepNotifications();
    expect(await db.notification.count()).toBe(1);
  });
});
