import { expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import type { Actor } from "#lib/operation/policy.ts";
import {
  answerConflictCheck,
  createEvent,
  createIncident,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** Searches find what their reader has opened. */

async function createCheckedEvent() {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const turnOn = () =>
    prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  return { organization, event, turnOn };
}

const WORD = "lantern";

it("counts of a common word, which are shared, leave out what isn't open to the reader", async () => {
  const { organization, event, turnOn } = await createCheckedEvent();
  const [first, second] = [await createUser(), await createUser()];
  await sql.$executeRaw`
    insert into incidents (event_id, title, description)
    select ${event.id}::uuid, 'A lantern was thrown', 'It went on.' from generate_series(1, 900) n`;
  await turnOn();
  const closed = [];
  for (let n = 0; n < 3; n += 1)
    closed.push(await createIncident({ eventId: event.id, title: "The last lantern" }));
  await answerConflictCheck({ incidentId: closed[0]?.id ?? "", userId: second.id });
  const search = async (id: string, page = 1) => {
    const reader: Actor = {
      id,
      email: "maya@example.org",
      name: "Maya Castillo",
      avatarUrl: null,
      sessionId: "session",
      systemAdmin: false,
      organizations: [],
      events: [
        { eventId: event.id, slug: event.slug, organizationId: organization.id, roles: ["Responder"] },
      ],
    };
    const query = { search: WORD, sort: "createdAt", order: "desc", page, limit: 20 } as const;
    const { incidents, total } = await listIncidentsAcrossEvents(reader, query);
    return { total, newest: incidents[0]?.title, shown: incidents.map((one) => one.title).join() };
  };
  expect(await search(first.id)).toMatchObject({ total: 900, newest: "A lantern was thrown" });
  expect(await search(second.id)).toMatchObject({ total: 901, newest: "The last lantern" });
  expect((await search(first.id, 2)).shown).not.toContain("last");
});
