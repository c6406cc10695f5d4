import { prisma } from "#lib/database/client.ts";

/** Inserts rows for domain tests, without the service. */

let uniqueCount = 0;

const unique = () => `${Date.now().toString(36)}${(uniqueCount += 1)}`;

export const createUser = (name = "Maya Castillo") =>
  prisma.user.create({
    data: { name, email: `${unique()}@example.org`, passwordHash: "-", emailVerifiedAt: new Date() },
  });

export const createOrganization = (name = "Riverside Meetups") =>
  prisma.organization.create({ data: { name, slug: `org-${unique()}` } });

export const createEvent = (organizationId: string, name = "Riverside Spring Gathering") =>
  prisma.event.create({ data: { organizationId, name, slug: `event-${unique()}` } });

type NewIncident = { eventId: string } & Partial<Parameters<typeof prisma.incident.create>[0]["data"]>;

export const createIncident = (data: NewIncident) =>
  prisma.incident.create({
    data: { title: "Shouting at the desk", description: "It went on for a while.", ...data } as never,
  });
