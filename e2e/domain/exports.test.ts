import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import { exportCurrentUserData } from "#lib/own-account/account-export.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { createReportExportResponse } from "#lib/analytics/exports.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { createAuditCsvResponse } from "#lib/audit/exports.ts";
import { listAuditEntries } from "#lib/audit/queries.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { exportIncidentsByFilters } from "#lib/analytics/chosen-exports.ts";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** What exports leave out: what is hidden while somebody downloads them, and what a withheld role would show. */

let organizationId: string;
let eventId: string;
let incidentId: string;
let readerId: string;

const loadReader = async (): Promise<Actor> => {
  const actor = await findActorById(readerId);
  if (!actor) throw new Error("no actor");
  return actor;
};
const call = { requestId: "request" };

/** Hides the oldest incident from the reader. */
const hide = () =>
  prisma.incidentReader.create({
    data: { access: "none", incidentId, userId: readerId, source: "reporter" },
  });

const grantRoles = async () => {
  await prisma.organizationMember.create({ data: { organizationId, userId: readerId, role: "org_admin" } });
  await prisma.eventRole.create({ data: { eventId, userId: readerId, roleName: "Admin" } });
};

const exportAccount = async () =>
  exportCurrentUserData({ actor: await loadReader(), right: "self", call } as never);

beforeAll(async () => {
  organizationId = (await createOrganization()).id;
  eventId = (await createEvent(organizationId)).id;
  readerId = (await createUser("Xenia Moreau")).id;
  await grantRoles();
  incidentId = (await createIncident({ eventId })).id;
  await sql.$executeRaw`
    insert into incidents (event_id, title, description)
    select ${eventId}::uuid, 'One of many', 'It went on.' from generate_series(1, 1000) n`;
  await runTransaction(async (tx) => {
    for (let n = 1; n <= 1001; n += 1)
      await appendAuditEntry(tx, {
        action: "incident.change",
        organizationId,
        eventId,
        actorId: readerId,
        right: "event:Admin",
        object: { type: "incident", id: n === 1 ? incidentId : null },
      });
  });
  const own = { userId: readerId, incidentId, eventId };
  await prisma.pin.create({ data: own });
  await prisma.notification.create({
    data: { ...own, kind: "incident.created", deduplicationId: "created", organizationId },
  });
  const text = { incidentId, authorId: readerId, body: "What I wrote." };
  await prisma.teamNote.create({ data: text });
  await createMessage(text);
});

describe("an incident that is hidden from somebody while they download", () => {
  const exports: [string, () => Promise<Response>][] = [
    ["their own data", exportAccount],
    [
      "the incidents that match a filter",
      async () => exportIncidentsByFilters({ actor: await loadReader(), ...call }, { search: undefined }),
    ],
    [
      "the reports of their organization",
      async () => {
        const actor = await loadReader();
        return createReportExportResponse(
          organizationId,
          { query: { format: "csv", timeRange: "all" }, typeset: false, reader: actor },
          { actor, right: "organization:org_admin", call },
        );
      },
    ],
    [
      "the audit log of their organization",
      () =>
        createAuditCsvResponse(
          { chain: organizationId, hidden: [], reader: { id: readerId } },
          { action: "incident.change" },
        ),
    ],
  ];

  it("isn't in an audit log that they asked for before", async () => {
    const log = { chain: organizationId, hidden: [], reader: { id: readerId } };
    const query = { action: "incident.change", page: 1, limit: 100 };
    await hide();
    try {
      expect(await (await createAuditCsvResponse(log, query)).text()).not.toContain(incidentId);
      expect(await listAuditEntries(log, query)).toMatchObject({ total: 1000 });
      expect(await listAuditEntries(log, { page: 1, limit: 100 })).toMatchObject({ total: 1000 });
    } finally {
      await prisma.incidentReader.deleteMany();
    }
  });

  it.each(exports)("isn't in what remains of %s", async (_, start) => {
    try {
      const before = await (await start()).text();
      expect(before.includes(incidentId)).toBe(true);
      const response = await start();
      await hide();
      const after = await response.text();
      expect(after.includes(incidentId)).toBe(false);
      expect(after.length).toBeGreaterThan(100);
    } finally {
      await prisma.incidentReader.deleteMany();
    }
  });
});

describe("whoever loses their roles during a request", () => {
  const endRoles = async () => {
    await prisma.organizationMember.deleteMany({ where: { userId: readerId } });
    await prisma.eventRole.deleteMany({ where: { userId: readerId } });
  };

  afterEach(async () => {
    await prisma.incidentReader.deleteMany();
    await prisma.incident.update({ where: { id: incidentId }, data: { listed: false } });
    await endRoles();
    await grantRoles();
  });

  it("finds nothing of a hidden incident in the rest of an audit log", async () => {
    const reader = await loadReader();
    await hide();
    const log = { chain: organizationId, reader, hidden: await listHiddenIncidentIds(reader) };
    const response = await createAuditCsvResponse(log, { action: "incident.change" });
    await endRoles();
    expect((await response.text()).includes(incidentId)).toBe(false);
  });

  it("still doesn't know of an incident whose list they aren't on", async () => {
    const reader = await loadReader();
    await prisma.incident.update({ where: { id: incidentId }, data: { listed: true } });
    await endRoles();
    expect(await listHiddenIncidentIds(reader)).toEqual([incidentId]);
    const systemAdmin = { ...reader, organizations: [], events: [], systemAdmin: true };
    expect(await listHiddenIncidentIds(systemAdmin)).toEqual([incidentId]);
  });
});

describe("the export of one's own data", () => {
  it("has pins and notifications of an event only while the role in it counts", async () => {
    const listIncidentIds = async () => {
      const { pins, notifications, notes, messages } = await (await exportAccount()).json();
      const ids = [pins[0]?.id, ...[notifications[0], notes[0], messages[0]].map((one) => one?.incidentId)];
      return ids.map((id) => id === incidentId);
    };
    const requireSecondFactor = (data: boolean) =>
      prisma.organization.update({ where: { id: organizationId }, data: { requireSecondFactor: data } });
    expect(await listIncidentIds()).toEqual([true, true, true, true]);
    await requireSecondFactor(true);
    expect(await listIncidentIds()).toEqual([false, false, false, false]);
    await requireSecondFactor(false);
    await prisma.eventRole.updateMany({ where: { userId: readerId }, data: { roleName: "Reporter" } });
    expect(await listIncidentIds()).toEqual([false, false, false, true]);
    await prisma.eventRole.updateMany({ where: { userId: readerId }, data: { roleName: "Admin" } });
  });
});
