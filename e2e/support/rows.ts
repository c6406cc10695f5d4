import { db } from "#lib/database/client.ts";

/** Rows for domain tests, written without the service. */

let made = 0;

const unique = () => `${Date.now().toString(36)}${(made += 1)}`;

export const newUser = (name = "Maya Castillo") =>
  db.user.create({
    data: { name, email: `${unique()}@example.org`, passwordHash: "-", emailVerifiedAt: new Date() },
  });

export const newOrganization = (name = "Riverside Meetups") =>
  db.organization.create({ data: { name, slug: `org-${unique()}` } });

export const newEvent = (organizationId: string, name = "Riverside Spring Gathering") =>
  db.event.create({ data: { organizationId, name, slug: `event-${unique()}` } });

type NewIncident = { eventId: string } & Partial<Parameters<typeof db.incident.create>[0]["data"]>;

export const newIncident = (data: NewIncident) =>
  db.incident.create({
    data: { title: "Shouting at the desk", description: "It went on for a while.", ...data } as never,
  });
