import { expect, test } from "vitest";
import { findApiTokenActor } from "#lib/accounts/actor-queries.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import { prisma } from "#lib/database/client.ts";
import { createEvent, createOrganization, createUser } from "#e2e/support/rows.ts";

/** The roles of a token: those that its person has accepted (contract 2.7, 2.9). */

const organization = await createOrganization();
const [invited, accepted] = [await createEvent(organization.id), await createEvent(organization.id)];
const person = await createUser("Polled Person");
await prisma.eventRole.createMany({
  data: [
    { eventId: invited.id, userId: person.id, roleName: "Responder", pending: true },
    { eventId: accepted.id, userId: person.id, roleName: "Reporter" },
  ],
});

test.each([
  ["without a limit", {}, [accepted.id]],
  ["for the organization", { organizationId: organization.id }, [accepted.id]],
  ["for the event", { eventId: invited.id }, []],
])("a token %s has no role that its person hasn't accepted", async (limit, limits, eventIds) => {
  const token = `heed_${limit}`;
  const expiresAt = new Date(Date.now() + 60_000);
  const tokenHash = hashToken(token);
  await prisma.apiToken.create({
    data: { userId: person.id, name: "Poller", scope: "read", tokenHash, expiresAt, ...limits },
  });
  const actor = await findApiTokenActor(token);
  expect(actor?.events.map(({ eventId }) => eventId)).toEqual(eventIds);
});
