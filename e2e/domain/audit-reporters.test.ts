import { expect, it } from "vitest";
import { appendAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import { createAuditCsvResponse } from "#lib/audit/exports.ts";
import type { AuditEntryRecord } from "#lib/audit/schema.ts";
import { listAuditEntries, type AuditLogReadScope } from "#lib/audit/queries.ts";
import { generateInviteCode } from "#lib/crypto/random-code.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { leaveEvent } from "#lib/events/leave.ts";
import { redeemInvite } from "#lib/invites/invites.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor, EventRole, PermissionSubject } from "#lib/operation/policy.ts";
import { deleteOrganizationAndRecordErasure } from "#lib/organizations/organizations.ts";
import { deleteIncidentAndRecordErasure } from "#lib/retention/deletion.ts";
import {
  answerConflictCheck,
  createEvent,
  createIncident,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** What a log shows of reporters to those who must not learn who reported (contract 12.4, 16.10). */

async function createPlace() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const append = (entry: Pick<AuditEntryInput, "action" | "right" | "object" | "data"> & { by?: string }) => {
    const { by = null, ...rest } = entry;
    const place = { organizationId: organization.id, eventId: event.id };
    return runTransaction((tx) =>
      appendAuditEntry(tx, { ...place, actorId: by, ...(by && { requestId: `request of ${by}` }), ...rest }),
    );
  };
  const report = async (by: string | undefined, right: string) => {
    const { id } = await createIncident({ eventId: event.id, reporterId: by ?? null });
    const object = { type: "incident", id };
    await append({ action: "incident.create", right, object, data: { files: 0 }, ...(by && { by }) });
    return id;
  };
  return { organization, event, append, report };
}

/** The log as JSON, oldest first, and as CSV. */
async function readLog(log: AuditLogReadScope) {
  const { entries } = await listAuditEntries(log, { page: 1, limit: 100 });
  const csv = await (await createAuditCsvResponse(log, {})).text();
  return { entries: entries.toReversed(), text: `${JSON.stringify(entries)}\n${csv}` };
}

/** What is left of an entry to compare, without its place in the log. */
const toComparable = ({ actor, action, right, requestId, data, objectType }: AuditEntryRecord) => ({
  actor,
  action,
  right,
  requestId,
  data,
  objectType,
});

it("shows an organization's admin the same of a report whatever the reporter's role", async () => {
  const { organization, event, report } = await createPlace();
  const readerId = (await createUser("Olga Admin")).id;
  const rights = ["event:Reporter", "event:Responder", "event:Admin", "self", "SystemAdmin"];
  for (const right of rights) await report((await createUser()).id, right);
  const log = { chain: organization.id, hidden: [], reader: { id: readerId } };
  const { entries, text } = await readLog({ ...log, reportersIn: [] });
  expect(entries.map(toComparable)).toEqual(
    rights.map(() => ({
      actor: null,
      action: "incident.create",
      right: "reporter",
      requestId: null,
      data: { files: 0 },
      objectType: "incident",
    })),
  );
  for (const right of rights) expect(text).not.toContain(right);
  const known = await readLog({ ...log, reportersIn: [event.id] });
  expect(known.entries.map(({ right }) => right)).toEqual(rights);
  for (const right of rights) expect(known.text).toContain(right);
});

it("shows an organization's admin that a report has no name", async () => {
  const { organization, report } = await createPlace();
  await report(undefined, "anonymous");
  const { entries } = await readLog({ chain: organization.id, hidden: [], reader: null, reportersIn: [] });
  expect(entries).toMatchObject([{ actor: null, right: "anonymous", requestId: null }]);
});

it("doesn't show an organization's admin the role that an invited person accepted as they reported", async () => {
  const { organization, append } = await createPlace();
  const invitee = (await createUser()).id;
  await append({
    action: "eventUser.acceptInvitation",
    right: "self",
    object: { type: "eventUser", id: invitee },
    data: { userId: invitee, roles: ["Responder"] },
    by: invitee,
  });
  const { entries, text } = await readLog({
    chain: organization.id,
    hidden: [],
    reader: null,
    reportersIn: [],
  });
  expect(entries).toMatchObject([
    { actor: null, objectId: null, right: "reporter", requestId: null, data: {} },
  ]);
  expect(text).not.toContain("Responder");
});

it("shows a reader of an unopened incident the same whether it has a name, and whoever reported", async () => {
  const { organization, event, append, report } = await createPlace();
  await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  const [reporter, admin] = [await createUser(), await createUser()];
  const reader = await createUser();
  const [named, ofAdmin, anonymous] = [
    await report(reporter.id, "event:Reporter"),
    await report(admin.id, "event:Admin"),
    await report(undefined, "anonymous"),
  ];
  for (const [incidentId, right, by] of [
    [named, "event:Reporter(own)", reporter.id],
    [ofAdmin, "event:Admin", admin.id],
    [anonymous, "mailbox", undefined],
  ] as const)
    await append({
      action: "message.create",
      right,
      object: { type: "message", id: incidentId },
      data: { incidentId },
      ...(by && { by }),
    });
  const log = { chain: organization.id, eventId: event.id, hidden: [], reader: { id: reader.id } };
  const closed = await readLog(log);
  const hidden = { actor: null, right: "reporter", requestId: null };
  const id = expect.any(String) as string;
  expect(closed.entries.map(toComparable)).toEqual([
    ...[1, 2, 3].map(() => ({
      ...hidden,
      action: "incident.create",
      data: { files: 0 },
      objectType: "incident",
    })),
    ...[1, 2, 3].map(() => ({
      ...hidden,
      action: "message.create",
      data: { incidentId: id },
      objectType: "message",
    })),
  ]);
  expect(closed.text).not.toMatch(/event:|anonymous|mailbox|request of/);
  for (const incidentId of [named, ofAdmin, anonymous])
    await answerConflictCheck({ incidentId, userId: reader.id });
  const rights = [
    "event:Reporter",
    "event:Admin",
    "anonymous",
    "event:Reporter(own)",
    "event:Admin",
    "mailbox",
  ];
  expect((await readLog(log)).entries.map(({ right }) => right)).toEqual(rights);
});

it("takes what a reported person or a witness does in their mailbox for nobody's report", async () => {
  const { organization, append, report } = await createPlace();
  await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  const incidentId = await report(undefined, "anonymous");
  const by = { right: "mailbox", data: { incidentId } };
  await append({ ...by, action: "conversation.reply", object: { type: "conversation", id: incidentId } });
  await append({ ...by, action: "message.create", object: { type: "message", id: incidentId } });
  const reader = { id: (await createUser()).id };
  const { entries } = await readLog({ chain: organization.id, hidden: [], reader });
  expect(entries.map(({ action, right }) => [action, right])).toEqual([
    ["incident.create", "reporter"],
    ["conversation.reply", "mailbox"],
    ["message.create", "reporter"],
  ]);
});

type Place = Awaited<ReturnType<typeof createPlace>>;

const DELETIONS = {
  "by rules": ({ organization, event }: Place, incidentIds: string[]) =>
    runTransaction(async (tx) => {
      const place = { organizationId: organization.id, eventId: event.id, data: {} };
      for (const incidentId of incidentIds)
        await deleteIncidentAndRecordErasure(tx, { incidentId, ...place });
    }),
  "by hand": async (_place: Place, incidentIds: string[]) => {
    await prisma.incident.deleteMany({ where: { id: { in: incidentIds } } });
  },
  "with its event": async ({ event }: Place) => {
    await prisma.event.delete({ where: { id: event.id } });
  },
  "with its organization": ({ organization }: Place) =>
    runTransaction((tx) =>
      deleteOrganizationAndRecordErasure(tx, organization.id, { actorId: null, right: "service" }),
    ),
};

it.each(Object.keys(DELETIONS) as (keyof typeof DELETIONS)[])(
  "names the reporter of an incident under the check to nobody once it is deleted %s",
  async (deletion) => {
    const place = await createPlace();
    const { organization, event, append, report } = place;
    const [reporter, responder, earlier] = [await createUser(), await createUser(), await createUser()];
    const unchecked = await report(earlier.id, "event:Reporter");
    await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
    const named = await report(reporter.id, "event:Reporter");
    const anonymous = await report(undefined, "anonymous");
    const data = { incidentId: named };
    for (const by of [reporter.id, responder.id])
      await append({
        action: "message.create",
        right: "event:Responder",
        object: { type: "message", id: named },
        data,
        by,
      });
    const answered = (await createUser()).id;
    await answerConflictCheck({ incidentId: named, userId: answered });
    const log = { chain: organization.id, hidden: [], reader: { id: answered } };
    expect((await readLog(log)).text).toContain(reporter.id);

    await DELETIONS[deletion](place, [unchecked, named, anonymous]);
    for (const readerId of [answered, reporter.id, (await createUser()).id, null])
      for (const reader of [{}, { eventId: event.id }, { reportersIn: [event.id] }]) {
        const readerLog = { ...log, ...reader, readerId };
        const { entries, text } = await readLog(readerLog);
        expect(
          entries.slice(0, 5).map(({ actor, right, requestId }) => [actor?.id ?? null, right, requestId]),
        ).toEqual([
          [earlier.id, "event:Reporter", `request of ${earlier.id}`],
          [null, "reporter", null],
          [null, "reporter", null],
          [null, "reporter", null],
          [responder.id, "event:Responder", `request of ${responder.id}`],
        ]);
        expect(text).not.toContain(reporter.id);
        const count = async (actor: string) => {
          const page = await listAuditEntries(readerLog, { actor, page: 1, limit: 50 });
          const csv = await (await createAuditCsvResponse(readerLog, { actor })).text();
          return [page.entries.length, page.total, csv.trim().split("\r\n").length - 1];
        };
        expect(await count(reporter.id)).toEqual([0, 0, 0]);
        expect(await count(responder.id)).toEqual([1, 1, 1]);
      }
  },
);

it.each(["Reporter", "Responder"] as const)(
  "names to an organization's admin who joins by an invite and leaves, unless as an attendee: %s",
  async (role: EventRole) => {
    const { organization, event } = await createPlace();
    const person = await createUser("Invited Person");
    const code = generateInviteCode();
    const invite = { organizationId: organization.id, eventId: event.id, code, role };
    await prisma.invite.create({ data: invite });
    await runTransaction((tx) => redeemInvite(tx, { code, userId: person.id, requestId: "request of one" }));
    const context = {
      actor: { id: person.id, systemAdmin: false },
      right: "self",
      call: { requestId: "request of one" },
    } as unknown as OperationContext<PermissionSubject, Actor>;
    await leaveEvent(context, event.id);
    const log = { chain: organization.id, hidden: [], reader: null };
    const { entries, text } = await readLog({ ...log, reportersIn: [] });
    expect(entries.map(({ action }) => action)).toEqual(["invite.use", "eventUser.leave"]);
    expect(text.includes(person.id)).toBe(role !== "Reporter");
    expect(text.includes("request of one")).toBe(role !== "Reporter");
    expect((await readLog({ ...log, reportersIn: [event.id] })).text).toContain(person.id);
    const query = { actor: person.id, page: 1, limit: 50 };
    const byActor = await listAuditEntries({ ...log, reportersIn: [] }, query);
    expect(byActor.total).toBe(role === "Reporter" ? 0 : 2);
  },
);
