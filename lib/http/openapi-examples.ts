import type { z } from "zod";
import type { EventOutput, NewEventInput } from "#lib/events/schema.ts";
import type { Incident, NewIncidentInput } from "#lib/incidents/schema.ts";
import type { OrganizationSetupInput } from "#lib/setup/schema.ts";

/** Examples in the OpenAPI document, by the component that they are of. */

const PEOPLE = {
  maya: { id: "8a3f5c1e-64b0-4c57-9d0e-1f7a2b9c4d11", name: "Maya Okonkwo", email: "maya@example.org" },
  noor: { id: "2c9d7e40-1b8f-4a36-8e52-7d3f0a6b5c22", name: "Noor Rahimi", email: "noor@example.org" },
};

const EVENT: z.output<typeof EventOutput> = {
  id: "4f1c2b9e-0d55-4d0e-9a51-2f6f0c7d8e21",
  organizationId: "b7e0d3a4-92c6-4f18-a3d5-6c1e8f2b7a33",
  name: "Spring Fair",
  slug: "spring-fair",
  description: "Two days of talks and workshops.",
  startDate: "2026-11-20T08:00:00.000Z",
  endDate: "2026-11-21T17:00:00.000Z",
  timeZone: "Europe/Berlin",
  website: "https://example.org/fair",
  contactEmail: "fair@example.org",
  codeOfConduct: "Be kind to each other.",
  logo: null,
  isActive: true,
  createdAt: "2026-10-01T09:12:44.310Z",
  updatedAt: "2026-10-14T15:02:10.004Z",
};

const INCIDENT: z.output<typeof Incident> = {
  id: "d1b6a8f2-3e74-4b09-8c6a-5f0e9d2c1b44",
  number: 4821,
  codeName: "birch-heron",
  title: "Shouting at the registration desk",
  description: "Somebody shouted at a volunteer for ten minutes.",
  state: "acknowledged",
  severity: "medium",
  urgent: false,
  hasMailbox: false,
  unconfirmed: false,
  mailboxClosed: false,
  withdrawn: false,
  incidentAt: "2026-11-21T13:10:00.000Z",
  incidentOn: null,
  incidentDayPart: null,
  location: "Hall 2",
  parties: "A guest and a volunteer",
  eventId: EVENT.id,
  reporterId: PEOPLE.maya.id,
  assignedResponderId: PEOPLE.noor.id,
  summary: null,
  resolution: null,
  firstResponseAt: "2026-11-21T13:41:02.118Z",
  resolvedAt: null,
  escalatedAt: null,
  reopenedAt: null,
  createdAt: "2026-11-21T13:32:47.905Z",
  updatedAt: "2026-11-21T13:41:02.118Z",
  type: "Harassment",
  contactMethod: "email",
  contactPhone: null,
  event: { id: EVENT.id, name: EVENT.name, slug: EVENT.slug },
  reporter: { ...PEOPLE.maya, emailVerified: true },
  assignedResponder: PEOPLE.noor,
  relatedFiles: [],
  reportedPersonName: null,
  conflictCheck: null,
};

const NEW_INCIDENT: z.input<typeof NewIncidentInput> = {
  title: INCIDENT.title,
  description: INCIDENT.description,
  severity: "medium",
  location: "Hall 2",
};

const NEW_EVENT: z.input<typeof NewEventInput> = {
  name: EVENT.name,
  slug: EVENT.slug,
  startDate: EVENT.startDate,
  endDate: EVENT.endDate,
};

const ORGANIZATION_SETUP: z.input<typeof OrganizationSetupInput> = {
  name: EVENT.name,
  organizationName: "Harbor Meetups",
  startDate: EVENT.startDate,
  endDate: EVENT.endDate,
  contactEmail: EVENT.contactEmail,
  emergencyNumber: "112",
  teamEmails: [PEOPLE.maya.email, PEOPLE.noor.email],
};

export const OPENAPI_EXAMPLES: Readonly<Record<string, object>> = {
  Event: EVENT,
  NewEvent: NEW_EVENT,
  OrganizationSetup: ORGANIZATION_SETUP,
  Incident: INCIDENT,
  NewIncident: NEW_INCIDENT,
  EventChange: { description: EVENT.description, codeOfConduct: EVENT.codeOfConduct },
  IncidentStateChange: {
    state: "investigating",
    notes: "We talk to both.",
    assignedToUserId: PEOPLE.noor.id,
  },
};
