import { beforeAll, describe, expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import {
  listEventIncidents,
  listEventIncidentsAsJsonUnlessAnyRedacted,
  listIncidentsAcrossEvents,
  listIncidentsAcrossEventsAsJsonUnlessAnyRedacted,
  type IncidentListResult,
  type IncidentListPageJson,
} from "#lib/incidents/list-queries.ts";
import { findIncidentAsSeenByReader } from "#lib/incidents/record-queries.ts";
import { Incident } from "#lib/incidents/schema.ts";
import { IncidentsAcrossEventsQuery } from "#lib/incidents/list-schema.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Records as the database writes them: in the very shape of the contract, and only for those who may see all of it. */

type Of<T extends (...given: never[]) => unknown> = Awaited<ReturnType<T>>;

const query = IncidentsAcrossEventsQuery.parse({});
const ODD = 'He said "no\\", \b\f\n\r\t\u0001\u001f\u2028 </script> %s ${x} 🪷 {"a":1}, ]';

let organization: Of<typeof createOrganization>;
let event: Of<typeof createEvent>;
let other: Of<typeof createEvent>;
let team: Of<typeof createUser>;
let reporter: Of<typeof createUser>;

const actorWith = (id: string, roles: [Of<typeof createEvent>, EventRole][], systemAdmin = false): Actor => ({
  id,
  email: "",
  name: "",
  avatarUrl: null,
  sessionId: "",
  systemAdmin,
  organizations: [],
  events: roles.map(([{ id: eventId, slug, organizationId }, role]) => ({
    eventId,
    slug,
    organizationId,
    roles: [role],
  })),
});

beforeAll(async () => {
  organization = await createOrganization();
  event = await createEvent(organization.id, ODD);
  other = await createEvent(organization.id);
  team = await createUser(ODD);
  reporter = await createUser();
  await createIncident({ eventId: event.id });
  const full = await createIncident({
    eventId: event.id,
    title: ODD.slice(0, 30),
    description: ODD,
    location: ODD,
    parties: ODD,
    resolution: ODD,
    type: ODD,
    state: "resolved",
    severity: "high",
    contactMethod: "in_person",
    reporterId: reporter.id,
    assignedResponderId: team.id,
    incidentAt: new Date("1900-01-01T00:00:00.000Z"),
    firstResponseAt: new Date("2026-11-21T14:30:05.100Z"),
    resolvedAt: new Date("2026-11-21T14:30:05.020Z"),
    escalatedAt: new Date("2026-11-21T14:30:05.003Z"),
    reopenedAt: new Date("2100-12-31T23:59:59.999Z"),
  });
  const file = {
    incidentId: full.id,
    eventId: event.id,
    mimetype: "image/png",
    size: 2 ** 31 - 1,
  };
  const more = { sha256: "00", filename: ODD, createdAt: new Date("2026-11-21T14:30:05.000Z") };
  await prisma.relatedFile.create({
    data: {
      ...file,
      ...more,
      storageKey: "a",
      uploadedById: team.id,
      description: ODD,
      reveals: ["device", "place"],
      visibleToReporter: false,
    },
  } as never);
  await prisma.relatedFile.create({
    data: {
      ...file,
      ...more,
      storageKey: "b",
      originalKey: "c",
      originalSize: 2 ** 31 - 1,
      cleanState: "cleaned",
    },
  } as never);
  await createIncident({ eventId: other.id });
});

const shaped = ({ incidents, total }: IncidentListResult) => ({
  incidents: incidents.map((incident) => Incident.parse(incident)),
  total,
});
const read = ({ records, total }: IncidentListPageJson) => ({
  incidents: JSON.parse(`[${records}]`) as unknown[],
  total,
});

describe("a page as text", () => {
  it("is what the team reads row by row, without a member more or less", async () => {
    const actor = actorWith(team.id, [[event, "Responder"]]);
    const rows = await listEventIncidents(actor, event.id, query);
    const text = await listEventIncidentsAsJsonUnlessAnyRedacted(actor, event.id, query);
    expect(rows.incidents).toHaveLength(2);
    expect(text && read(text)).toStrictEqual(shaped(rows));
  });

  it("is for the team of every event on it", async () => {
    const actor = actorWith(team.id, [
      [event, "Admin"],
      [other, "Responder"],
    ]);
    const rows = await listIncidentsAcrossEvents(actor, query);
    const text = await listIncidentsAcrossEventsAsJsonUnlessAnyRedacted(actor, query);
    expect(rows.total).toBe(3);
    expect(text && read(text)).toStrictEqual(shaped(rows));
  });

  it("is for a SystemAdmin", async () => {
    const actor = actorWith(team.id, [], true);
    const text = await listIncidentsAcrossEventsAsJsonUnlessAnyRedacted(actor, query);
    expect(text && read(text)).toStrictEqual(shaped(await listIncidentsAcrossEvents(actor, query)));
  });

  it("is not for a reporter, nor for who is one in a single event of them", async () => {
    const alone = actorWith(reporter.id, [[event, "Reporter"]]);
    expect(await listEventIncidentsAsJsonUnlessAnyRedacted(alone, event.id, query)).toBeUndefined();
    expect(await listIncidentsAcrossEventsAsJsonUnlessAnyRedacted(alone, query)).toBeUndefined();
    const mixed = actorWith(reporter.id, [
      [event, "Reporter"],
      [other, "Admin"],
    ]);
    expect(await listIncidentsAcrossEventsAsJsonUnlessAnyRedacted(mixed, query)).toBeUndefined();
    expect(await listEventIncidentsAsJsonUnlessAnyRedacted(mixed, event.id, query)).toBeUndefined();
    expect(await listEventIncidentsAsJsonUnlessAnyRedacted(mixed, other.id, query)).toBeDefined();
  });

  it("is empty for who sees nothing", async () => {
    const nobody = actorWith(reporter.id, []);
    const text = await listIncidentsAcrossEventsAsJsonUnlessAnyRedacted(nobody, query);
    expect(text && read(text)).toStrictEqual({ incidents: [], total: 0 });
  });
});

it("a reporter's rows leave out what is the team's", async () => {
  const actor = actorWith(reporter.id, [[event, "Reporter"]]);
  const { incidents, total } = await listEventIncidents(actor, event.id, query);
  expect(total).toBe(1);
  expect(incidents[0]).toMatchObject({ resolution: null, description: ODD });
  expect(incidents[0]?.assignedResponder).toEqual({ id: team.id, name: ODD, email: null });
  expect(incidents[0]?.relatedFiles.map(({ hasOriginal, uploadedBy }) => [hasOriginal, uploadedBy])).toEqual([
    [true, undefined],
  ]);
});

it("one record has the same shape, alone and in a list", async () => {
  const actor = actorWith(team.id, [[event, "Responder"]]);
  for (const incident of (await listEventIncidents(actor, event.id, query)).incidents) {
    const found = await findIncidentAsSeenByReader(sql, {
      eventId: event.id,
      incidentId: incident.id,
      reader: team,
    });
    expect(found).toStrictEqual(incident);
  }
});
