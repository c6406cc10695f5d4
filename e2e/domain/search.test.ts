import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma } from "#lib/database/client.ts";
import { listInboxRowsAcrossEvents } from "#lib/incidents/inbox.ts";
import { IncidentsAcrossEventsQuery } from "#lib/incidents/list-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** What a search finds, for whom, and where (contract 7.12). */

let incidentId: string;
let eventId: string;
let reporter: Actor;
let responder: Actor;
let stranger: Actor;

const readActor = async (userId: string) => (await findActorById(userId)) as Actor;

async function createMember(
  name: string,
  event: string,
  roleName: "Reporter" | "Responder",
): Promise<string> {
  const { id } = await createUser(name);
  await prisma.eventRole.create({ data: { eventId: event, userId: id, roleName } });
  return id;
}

/** Returns where words of the search are found in the incident; undefined if the search doesn't find it. */
async function search(actor: Actor, text: string): Promise<string[] | undefined> {
  const { rows } = await listInboxRowsAcrossEvents(actor, IncidentsAcrossEventsQuery.parse({ search: text }));
  return rows.find(({ id }) => id === incidentId)?.foundIn.toSorted();
}

beforeAll(async () => {
  const { id: organizationId } = await createOrganization();
  eventId = (await createEvent(organizationId)).id;
  const mayaId = await createMember("Maya Castillo", eventId, "Reporter");
  const omarId = await createMember("Omar Aziz", eventId, "Responder");
  const elsewhere = (await createEvent(organizationId)).id;
  const noraId = await createMember("Nora Lind", elsewhere, "Responder");
  const incident = await createIncident({
    eventId,
    reporterId: mayaId,
    title: "Pushed beside the stairs",
    description: "A man in a grey jacket shoved me.",
    location: "Café Größe",
    parties: "Somebody called Łukasz",
    summary: "Shoving by a volunteer.",
    reportedPersonName: "Lucas Brandt",
    number: 4821,
    codeName: "birch-heron",
  });
  incidentId = incident.id;
  await prisma.teamNote.create({
    data: { incidentId, authorId: omarId, body: "Seen again near the fountain." },
  });
  await createMessage({ incidentId, authorId: omarId, body: "Did anybody film it?", createdAt: new Date() });
  const witness = await prisma.conversation.create({ data: { incidentId, party: "witness", label: "W" } });
  await prisma.message.create({
    data: { conversationId: witness.id, fromParty: true, body: "He wore sandals." },
  });
  const id = randomUUID();
  const person = await prisma.person.create({
    data: { id, groupId: id, organizationId, codeName: "marble-osprey" },
  });
  await prisma.incidentPerson.create({
    data: {
      incidentId,
      eventId,
      matchTerms: [],
      personId: person.id,
      name: "Ines Ferreira",
      handles: ["inesf"],
      role: "witness",
    },
  });
  [reporter, responder, stranger] = await Promise.all([
    readActor(mayaId),
    readActor(omarId),
    readActor(noraId),
  ]);
});

describe("a search finds", () => {
  it.each([
    ["jacket grey", ["report"]],
    ["LUKASZ café groesse", ["report"]],
    ["birch-heron", ["report"]],
    ["4821", ["report"]],
    ["maya stairs", ["report", "reporter"]],
    ["ferreira grey", ["people", "report"]],
    ["inesf", ["people"]],
    ["volunteer", ["summary"]],
    ["brandt jacket", ["report", "summary"]],
    ["fountain lukasz", ["note", "report"]],
    ["film sandals", ["message"]],
  ])("%s, its words in any order and at any place: %j", async (text, places) => {
    expect(await search(responder, text)).toEqual(places);
  });

  it("nothing where one word is missing, and takes no character for a wildcard", async () => {
    for (const text of ["jacket submarine", "gr%y", "gr_y"])
      expect(await search(responder, text), text).toBeUndefined();
  });

  it("for its reporter what they wrote and were told, and nothing that the team alone reads", async () => {
    expect(await search(reporter, "grey film")).toEqual(["message", "report"]);
    for (const text of ["fountain", "volunteer", "brandt", "sandals", "ferreira"])
      expect(await search(reporter, text), text).toBeUndefined();
  });

  it("for others nothing, nor for those from whom it is hidden or whose answer it waits for", async () => {
    expect(await search(stranger, "grey")).toBeUndefined();
    const hidden = await createMember("Xenia Moreau", eventId, "Responder");
    await prisma.incidentReader.create({
      data: { incidentId, userId: hidden, access: "none", source: "reporter" },
    });
    const excluded = await readActor(hidden);
    for (const text of ["grey", "fountain", "film", "volunteer", "ferreira", "birch-heron"])
      expect(await search(excluded, text), text).toBeUndefined();
    await prisma.incident.update({ where: { id: incidentId }, data: { conflictCheck: true } });
    expect(await search(responder, "fountain")).toBeUndefined();
    await prisma.incident.update({ where: { id: incidentId }, data: { conflictCheck: false } });
    expect(await search(responder, "fountain")).toEqual(["note"]);
  });
});
