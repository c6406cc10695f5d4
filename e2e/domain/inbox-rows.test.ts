import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma } from "#lib/database/client.ts";
import { listEventIncidents } from "#lib/incidents/list-queries.ts";
import { IncidentsByEventSlugQuery } from "#lib/incidents/list-schema.ts";
import { type Actor, hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import { listInboxRowsAcrossEvents, listEventInboxRows } from "#lib/incidents/inbox.ts";
import { listInboxRowMarkers } from "#lib/incidents/inbox-queries.ts";
import { InboxRow, IncidentMarks, FilteredIncidentsQuery } from "#lib/incidents/inbox-schema.ts";

/** A row of a desk says what the list and the marks say of an incident, to everybody, and no more than they. */

const HOUR_MS = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
const QUERY = IncidentsByEventSlugQuery.parse({});

/** A report with everything, one without a reporter, and one that nobody has looked at. */
async function createInbox() {
  const [maya, omar] = await Promise.all([createUser("Maya “M” Castillo"), createUser("Omar Aziz")]);
  const event = await createEvent((await createOrganization()).id);
  const where = { eventId: event.id };
  await prisma.eventRole.create({ data: { ...where, userId: maya.id, roleName: "Reporter" } });
  await prisma.eventRole.create({ data: { ...where, userId: omar.id, roleName: "Responder" } });
  const full = await createIncident({
    ...where,
    reporterId: maya.id,
    assignedResponderId: omar.id,
    title: 'He said "no" twice, \\ and left',
    type: "harassment",
    severity: "high",
    createdAt: ago(30),
  });
  await createIncident({ ...where, createdAt: ago(2), title: "Nobody says who wrote this" });
  const other = await createUser("Somebody who must not see it");
  // The second row is of an account that was deleted.
  for (const userId of [other.id, randomUUID()])
    await prisma.incidentReader.create({
      data: { access: "none", incidentId: full.id, userId, source: "team" },
    });
  const fresh = await createIncident({ ...where, reporterId: maya.id, createdAt: ago(1) });
  const of = { ...where, incidentId: full.id };
  const file = { ...of, filename: "photo.png", mimetype: "image/png", size: 1, sha256: "00" };
  await prisma.relatedFile.create({
    data: { ...file, storageKey: randomUUID(), uploadedById: omar.id, visibleToReporter: false },
  });
  await prisma.relatedFile.create({ data: { ...file, storageKey: randomUUID() } });
  await prisma.pin.create({ data: { ...of, userId: maya.id } });
  await createMessage({ incidentId: full.id, authorId: maya.id, body: "Is there news?", createdAt: ago(1) });
  await prisma.unreadMarker.create({ data: { incidentId: full.id, userId: omar.id } });
  await prisma.incidentHistory.create({
    data: { ...where, incidentId: fresh.id, action: "create", actorId: maya.id },
  });
  const [reporter, responder] = await Promise.all([findActorById(maya.id), findActorById(omar.id)]);
  return { event, reporter: reporter as Actor, responder: responder as Actor };
}

const listUserIds = async () => (await prisma.user.findMany()).map(({ id }) => id);

async function fromTwoAnswers(actor: Actor, eventId: string) {
  const { incidents, total } = await listEventIncidents(actor, eventId, QUERY);
  const { marks } = IncidentMarks.parse({
    marks: await listInboxRowMarkers(
      actor,
      incidents.map(({ id }) => id),
    ),
  });
  const excluded = await prisma.incidentReader.findMany({
    where: { userId: { in: await listUserIds() } },
  });
  const rows = incidents.map(({ assignedResponder, relatedFiles, reporter, ...incident }) => ({
    ...incident,
    foundIn: [],
    reporter: reporter && { ...reporter, namesake: null },
    ...marks.find(({ incidentId }) => incidentId === incident.id),
    assignee: assignedResponder,
    files: relatedFiles.length,
    hiddenFrom: hasTeamAccessToEvent(actor, eventId)
      ? excluded.filter((one) => one.incidentId === incident.id).map(({ userId }) => userId)
      : [],
  }));
  return { rows: rows.map((row) => InboxRow.parse(row)), total };
}

it("returns the same rows as the incident list and the list of unread markers and pins, for the team and for a reporter", async () => {
  const { event, reporter, responder } = await createInbox();
  for (const actor of [responder, reporter]) {
    const { rows, total } = await listEventInboxRows(actor, event.id, QUERY);
    expect({ rows, total }).toEqual(await fromTwoAnswers(actor, event.id));
    const across = await listInboxRowsAcrossEvents(actor, {
      ...FilteredIncidentsQuery.parse({}),
      ...QUERY,
      event: [event.slug],
    });
    expect(across).toEqual({ rows, total });
  }
});

it("shows a reporter neither the team's unread markers and deadlines, nor its own files, nor who can't see the report", async () => {
  const { event, reporter, responder } = await createInbox();
  const rowsFor = async (actor: Actor) => (await listEventInboxRows(actor, event.id, QUERY)).rows;
  expect(await rowsFor(responder)).toMatchObject([
    {
      reporter: { name: "Maya “M” Castillo" },
      unread: true,
      files: 0,
      due: { for: "acknowledge" },
      hiddenFrom: [],
    },
    { reporter: null, unread: false, awaiting: null },
    {
      title: 'He said "no" twice, \\ and left',
      unread: true,
      files: 2,
      messages: 1,
      awaiting: "team",
      hiddenFrom: [expect.any(String)],
    },
  ]);
  expect(await rowsFor(reporter)).toMatchObject([
    { unread: false, pinned: false, files: 0, due: null },
    { unread: false, pinned: true, files: 1, messages: 1, due: null, awaiting: null, hiddenFrom: [] },
  ]);
});

it("names somebody else on the event's team who has the reporter's name, to the team", async () => {
  const { event, responder } = await createInbox();
  const namesake = await createUser("OMAR\u00a0Azíz");
  await prisma.eventRole.create({ data: { eventId: event.id, userId: namesake.id, roleName: "Reporter" } });
  for (const reporterId of [namesake.id, responder.id])
    await createIncident({ eventId: event.id, reporterId, createdAt: ago(0) });
  const listNamesakes = async (actor: Actor) =>
    Object.fromEntries(
      (await listEventInboxRows(actor, event.id, QUERY)).rows.flatMap(({ reporter }) =>
        reporter ? [[reporter.id, reporter.namesake]] : [],
      ),
    );
  expect(await listNamesakes(responder)).toMatchObject({ [namesake.id]: "Omar Aziz", [responder.id]: null });
  expect(await listNamesakes((await findActorById(namesake.id)) as Actor)).toEqual({ [namesake.id]: null });
});
