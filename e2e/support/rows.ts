import { randomUUID } from "node:crypto";
import { prisma, runSqlTransaction, sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { startDeadlinesSql } from "#lib/incidents/deadline-sql.ts";
import { addMessage } from "#lib/incidents/messages.ts";
import { waitForNextMillisecond } from "./distinct-times.ts";

/** Inserts rows for domain tests, without the service. */

let uniqueCount = 0;

const unique = () => `${Date.now().toString(36)}${(uniqueCount += 1)}`;

export const createUser = (name = "Maya Castillo") =>
  inOrder(
    prisma.user.create({
      data: { name, email: `${unique()}@example.org`, passwordHash: "-", emailVerifiedAt: new Date() },
    }),
  );

/** Opens an incident under the conflict check to a person, as their answer does. */
export const answerConflictCheck = (reader: { incidentId: string; userId: string }) =>
  prisma.incidentReader.create({
    data: { ...reader, access: "full", source: "answer", answer: "none" },
  });

export const createOrganization = (name = "Riverside Meetups") =>
  inOrder(prisma.organization.create({ data: { name, slug: `org-${unique()}` } }));

export const createEvent = (organizationId: string, name = "Riverside Spring Gathering") =>
  inOrder(prisma.event.create({ data: { organizationId, name, slug: `event-${unique()}` } }));

type NewIncident = { eventId: string } & Partial<Parameters<typeof prisma.incident.create>[0]["data"]>;

/**
 * Adds an incident with its deadlines, under the conflict check where its organization asks for that, and the conversation with its
 * reporter, which has the same id.
 */
export async function createIncident(data: NewIncident) {
  const { organization } = await prisma.event.findUniqueOrThrow({
    where: { id: data.eventId },
    select: { organization: { select: { conflictCheck: true } } },
  });
  const id = (data.id as string | undefined) ?? randomUUID();
  const texts = { title: "Shouting at the desk", description: "It went on for a while." };
  const conversations = { create: { id, party: "reporter" } };
  await prisma.incident.create({ data: { id, ...texts, ...organization, conversations, ...data } as never });
  await sql.$executeRaw(startDeadlinesSql(Prisma.sql`i.id = ${id}::uuid`));
  return inOrder(prisma.incident.findUniqueOrThrow({ where: { id } }));
}

type NewMessage = {
  incidentId: string;
  authorId: string;
  body?: string;
  createdAt?: Date;
  waitForReporter?: boolean;
};

/** Adds a message to or from a report's reporter, with all that the incident then knows of it. */
export async function createMessage({ incidentId, authorId, createdAt, ...message }: NewMessage) {
  const { reporterId, eventId, event } = await prisma.incident.findUniqueOrThrow({
    where: { id: incidentId },
    include: { event: true },
  });
  const { organizationId } = event;
  const id = await runSqlTransaction((tx) =>
    addMessage(tx, {
      conversationId: incidentId,
      authorId,
      fromParty: authorId === reporterId,
      kind: "message",
      body: "A word.",
      ...message,
      ...(createdAt && { at: createdAt }),
      event: { kind: "message.created", actorId: authorId, organizationId, eventId, incidentId },
    }),
  );
  return { id };
}

/** Waits for the insert, and until a later row is newer. */
async function inOrder<Row>(insert: PromiseLike<Row>): Promise<Row> {
  const row = await insert;
  await waitForNextMillisecond();
  return row;
}
