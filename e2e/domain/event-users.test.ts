import { expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import { listEventUsers } from "#lib/events/queries.ts";
import { EventUsersQuery } from "#lib/events/schema.ts";
import { createEvent, createOrganization, createUser } from "#e2e/support/rows.ts";

/** An event with ten thousand attendees, one Responder and one Admin, who is also an attendee. */
async function createLargeEvent() {
  const event = await createEvent((await createOrganization()).id);
  const [admin, responder] = [await createUser("Zoe Admin"), await createUser("Yara Responder")];
  await prisma.$executeRaw`
    with people as (insert into users (email, name, password_hash)
      select 'attendee-' || n || '@example.org', 'Attendee ' || to_char(n, 'FM00000'), 'x' from generate_series(1, 10000) n returning id)
    insert into event_roles (event_id, user_id, role_name) select ${event.id}::uuid, id, 'Reporter' from people`;
  await prisma.eventRole.createMany({
    data: [
      { eventId: event.id, userId: admin.id, roleName: "Reporter" },
      { eventId: event.id, userId: admin.id, roleName: "Admin" },
      { eventId: event.id, userId: responder.id, roleName: "Responder" },
    ],
  });
  return {
    event,
    viewer: { eventId: event.id, team: true, viewer: admin, seesInvited: false },
  };
}

it("the response team is listed apart from ten thousand attendees, page by page and by search", async () => {
  const { viewer } = await createLargeEvent();
  const list = async (query: Record<string, string>) => {
    const { users, total } = await listEventUsers(viewer, EventUsersQuery.parse(query));
    return { names: users.map(({ name }) => name), total };
  };
  const team = await list({ group: "team", limit: "100" });
  expect([team.names, team.total]).toEqual([["Yara Responder", "Zoe Admin"], 2]);
  const first = await list({ group: "reporters" });
  expect([first.names[0], first.names.length, first.total]).toEqual(["Attendee 00001", 20, 10_000]);
  const last = await list({ group: "reporters", page: "500" });
  expect([last.names.at(-1), last.total]).toEqual(["Attendee 10000", 10_000]);
  const found = await list({ group: "reporters", search: "00042" });
  expect([found.names, found.total]).toEqual([["Attendee 00042"], 1]);
});
