import { prisma } from "#lib/database/client.ts";
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

export const createIncident = (data: NewIncident) =>
  inOrder(
    prisma.incident.create({
      data: { title: "Shouting at the desk", description: "It went on for a while.", ...data } as never,
    }),
  );

/** Waits for the insert, and until a later row is newer. */
async function inOrder<Row>(insert: PromiseLike<Row>): Promise<Row> {
  const row = await insert;
  await waitForNextMillisecond();
  return row;
}
