import { expect, it } from "vitest";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { listUserActivity } from "#lib/events/queries.ts";
import { createConversation } from "#lib/conversations/conversations.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { NEW_CONVERSATION } from "#e2e/api/conversation-rows.ts";
import {
  answerConflictCheck,
  createEvent,
  createIncident,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** A person's activity at incidents under the conflict check (contract 16.10). */

async function createCheckedIncident() {
  const organization = await createOrganization();
  await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  const event = await createEvent(organization.id);
  const [person, viewer] = [await createUser("Omar Haddad"), await createUser("Ada Viewer")];
  const role = { eventId: event.id, userId: person.id, roleName: "Responder" as const };
  await prisma.eventRole.create({ data: role });
  const incident = await createIncident({ eventId: event.id });
  const place = { organizationId: organization.id, eventId: event.id };
  const listActivity = () =>
    listUserActivity({ ...place, userId: person.id }, { page: 1, limit: 20 }, { id: viewer.id });
  const answer = () => answerConflictCheck({ incidentId: incident.id, userId: viewer.id });
  return { place, person, incident, listActivity, answer };
}

it("lists what somebody did in a conversation once, and only to who has opened the incident", async () => {
  const { place, person, incident, listActivity, answer } = await createCheckedIncident();
  const context = {
    ...place,
    incidentId: incident.id,
    actor: { id: person.id, name: person.name, systemAdmin: false } as Actor,
    right: "event:Responder",
    call: { requestId: "00000000-0000-4000-8000-000000000000" } as OperationCall,
  };
  await createConversation(context, { ...NEW_CONVERSATION, party: "witness" });
  expect(await listActivity()).toEqual({ activities: [], total: 0 });
  await answer();
  const { activities, total } = await listActivity();
  expect([activities.map(({ incidentId }) => incidentId), total]).toEqual([[incident.id], 1]);
});

it("leaves out every audit entry about an incident that the viewer hasn't opened or that was deleted, and keeps the others", async () => {
  const { place, person, incident, listActivity, answer } = await createCheckedIncident();
  const append = (object: { type: string; id: string }, data: { incidentId?: string }) =>
    runTransaction((tx) =>
      appendAuditEntry(tx, {
        ...place,
        action: "invite.create",
        actorId: person.id,
        right: "event:Admin",
        object,
        data,
      }),
    );
  await append({ type: "invite", id: incident.id }, {});
  await append({ type: "invite", id: incident.id }, { incidentId: incident.id });
  expect((await listActivity()).total).toBe(1);
  expect((await listActivity()).activities).toHaveLength(1);
  await answer();
  expect((await listActivity()).total).toBe(2);
  await prisma.incident.delete({ where: { id: incident.id } });
  expect((await listActivity()).total).toBe(1);
  expect((await listActivity()).activities).toHaveLength(1);
});
