import { describe, expect, test } from "vitest";
import { waitForMails } from "#e2e/support/outbox.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  expectShape,
  checkList,
  checkNullable,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
} from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** A role granted to somebody of other organizations is an invitation until they accept it (contract 2.7). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, foreignEvent, foreignOrganization, organization, otherEvent } = world;
const { ada, nora, olga, omar, sam } = world;

const MINE = "/api/users/me/invitations";
const people = (of: EventRef = event) => `/api/events/slug/${of.slug}/users`;
const members = `/api/organizations/${organization.id}/members`;
const grant = (userId: string, roleName: string, of: EventRef = event, inviter: TestPerson = ada) =>
  world.as(inviter).post(`/api/events/${of.id}/roles`, { userId, roleName });
const accept = (person: TestPerson, placeId: string) => world.as(person).post(`${MINE}/${placeId}/accept`);
const decline = (person: TestPerson, placeId: string) => world.as(person).delete(`${MINE}/${placeId}`);
const invitations = async (person: TestPerson) => (await world.as(person).get(MINE)).body.invitations;
const pending = async ({ id }: TestPerson, of: EventRef = event) =>
  (
    await heed.sql<{ pending: boolean }>(
      "select pending from event_roles where user_id = $1 and event_id = $2",
      [id, of.id],
    )
  ).map((row) => row.pending);

/** Somebody of another tenant, whose address nobody here knows. */
const stranger = (name = "Strange Person") => world.person(name, { events: [[foreignEvent, "Responder"]] });

/** Such a person with a role that waits. */
async function invited(
  roleName = "Responder",
  of: EventRef = event,
  inviter: TestPerson = ada,
): Promise<TestPerson> {
  const person = await stranger();
  const reply = await grant(person.id, roleName, of, inviter);
  expect(reply.status, reply.text).toBe(200);
  expect(await pending(person, of)).toEqual([true]);
  return person;
}

describe("a grant is an invitation", () => {
  test("to a SystemAdmin, and by one", async () => {
    const system = await world.person("System Person", { systemAdmin: true });
    await grant(system.id, "Reporter");
    expect(await pending(system)).toEqual([true]);
    await invited("Reporter", event, sam);
  });

  test("to nobody without a role, of the same organization, or to oneself", async () => {
    const without = await world.person("Without Role");
    const sameEvent = await world.person("Same Org", { events: [[otherEvent, "Reporter"]] });
    const member = await world.person("Member Here", { organization: [organization, "org_viewer"] });
    for (const person of [without, sameEvent, member]) {
      await grant(person.id, "Responder");
      expect(await pending(person), person.name).toEqual([false]);
    }
    const system = await world.person("Self Service", {
      systemAdmin: true,
      events: [[foreignEvent, "Admin"]],
    });
    await grant(system.id, "Admin", event, system);
    expect(await pending(system)).toEqual([false]);
  });

  test("where another one in the same organization waits, too", async () => {
    const person = await invited();
    await grant(person.id, "Reporter", otherEvent, world.ines);
    expect(await pending(person, otherEvent)).toEqual([true]);
    await grant(person.id, "Admin");
    expect(await pending(person)).toEqual([true, true]);
  });

  test("of two tenants at once to somebody without a role, one is", async () => {
    const person = await world.person("Wanted Twice");
    await runConcurrently(2, (index) =>
      index === 0 ? grant(person.id, "Responder") : grant(person.id, "Responder", foreignEvent, sam),
    );
    expect([...(await pending(person)), ...(await pending(person, foreignEvent))].toSorted()).toEqual([
      false,
      true,
    ]);
  });
});

describe("until it is accepted", () => {
  test("the event's people see the name and no address, wherever they look", async () => {
    const person = await invited();
    const report = await world.report(world.maya, event);
    const assigned = await world.as(ada).patch(`/api/events/${event.id}/incidents/${report.id}/state`, {
      state: "investigating",
      notes: "For somebody who doesn't know of it.",
      assignedToUserId: person.id,
    });
    expect(assigned.body.incident.assignedResponder).toEqual({
      id: person.id,
      name: person.name,
      email: null,
    });
    const incidents = `/api/events/slug/${event.slug}/incidents`;
    const paths = [
      people(),
      `${people()}?search=Strange&limit=100`,
      `${people()}?sort=email&limit=100`,
      `${people()}/${person.id}`,
      `${people()}/${person.id}/activity`,
      `${people()}/${person.id}/incidents`,
      `${people()}/${person.id}/holdings`,
      `/api/events/${event.id}/users`,
      incidents,
      `${incidents}/${report.id}`,
      `${incidents}/${report.id}/history`,
      `${incidents}/${report.id}/comments`,
      "/api/users/me/incidents?limit=100",
      "/api/users/me/jump?search=Strange",
      "/api/users/me/notifications",
      `/api/events/slug/${event.slug}/audit`,
    ];
    for (const reader of [ada, sam])
      for (const path of paths) {
        const reply = await world.as(reader).get(path);
        expect(reply.status, `${path}: ${reply.text}`).toBe(200);
        expect(reply.text, path).not.toContain(person.email);
      }
    const shown = (await world.as(ada).get(`${people()}/${person.id}`)).body;
    expect(shown).toMatchObject({
      user: { id: person.id, name: person.name, email: null },
      invited: true,
      roles: ["Responder"],
    });
    // With the acceptance the address is there: the test has looked in the right places.
    await accept(person, event.id);
    const shows = [
      `${people()}?search=Strange&limit=100`,
      `/api/events/${event.id}/users`,
      `${people()}/${person.id}`,
      `${incidents}?limit=100`,
      `${incidents}/${report.id}`,
    ];
    for (const path of shows) expect((await world.as(ada).get(path)).text, path).toContain(person.email);
  });

  test("searching and sorting by the address find nothing of it", async () => {
    const word = generateUniqueWord();
    const person = await stranger(`Sortable ${word}`);
    const known = await world.person(`Sortable ${word} Known`, { events: [[event, "Reporter"]] });
    await heed.sql("update users set email = $1 where id = $2", [`aaa.${word}@example.net`, person.id]);
    await heed.sql("update users set email = $1 where id = $2", [`zzz.${word}@example.net`, known.id]);
    await grant(person.id, "Reporter");
    const found = async (query: string) =>
      (await world.as(omar).get(`${people()}?${query}`)).body.users.map(({ id }: TestPerson) => id);
    expect(await found(`search=aaa.${word}`)).toEqual([]);
    expect(await found(`search=zzz.${word}`)).toEqual([known.id]);
    for (const order of ["asc", "desc"])
      expect(await found(`search=Sortable%20${word}&sort=email&order=${order}`)).toEqual([
        known.id,
        person.id,
      ]);
    await accept(person, event.id);
    expect(await found(`search=aaa.${word}`)).toEqual([person.id]);
    expect(await found(`search=Sortable%20${word}&sort=email`)).toEqual([person.id, known.id]);
  });

  test("nobody but a SystemAdmin renames them, and a guessed address is refused like any other", async () => {
    const person = await invited();
    const change = (inviter: TestPerson, name: string, email: string) =>
      world.as(inviter).patch(`${people()}/${person.id}`, { name, email, role: "Responder" });
    const guesses = [
      await change(ada, person.name, person.email),
      await change(ada, person.name, `else.${generateUniqueWord()}@example.org`),
      await change(ada, "Renamed By Ada", person.email),
    ];
    for (const reply of guesses) {
      expectRefusal(reply, "403 FORBIDDEN");
      expect(reply.body).toEqual(guesses[0]?.body);
    }
    const [row] = await heed.sql("select name, email from users where id = $1", [person.id]);
    expect(row).toEqual({ name: person.name, email: person.email });
    expect((await change(sam, "Renamed By Sam", person.email)).status).toBe(200);
    expect(await pending(person)).toEqual([true]);
    await accept(person, event.id);
    expect((await change(ada, "Renamed By Ada", person.email)).status).toBe(200);
  });

  test("they are notified of the invitation, and of nothing else in the event", async () => {
    const person = await invited();
    await world.report(world.maya, event);
    const list = async () => (await world.as(person).get("/api/users/me/notifications")).body.notifications;
    await waitUntil("the notification", async () => (await list()).length > 0);
    const kinds = (await list()).map(({ kind, url }: Record<string, string>) => [
      kind,
      new URL(url ?? "").pathname,
    ]);
    expect(kinds).toEqual([["role.changed", "/account/invitations"]]);
    const sent = await waitForMails(heed, person.email);
    expect(sent.map(({ subject }) => subject)).toEqual(["You have an invitation"]);
    for (const hidden of [ada.name, event.name, organization.name, person.id])
      expect(sent[0]?.text).not.toContain(hidden);
    expect(sent[0]?.text).toContain("/account/invitations");
  });

  test("they are no last Admin, and an Admin who is one stays", async () => {
    const held = await world.newEvent(organization);
    const admin = await world.person("Only Admin", { events: [[held, "Admin"]] });
    const person = await invited("Admin", held, admin);
    const leave = await world.as(admin).delete(`/api/users/me/events/${held.id}`);
    expectRefusal(leave, "409 LAST_ADMIN");
    expect((await decline(person, held.id)).status).toBe(204);
  });

  test("an assignment that they never agreed to shows no address after they are gone, either", async () => {
    const person = await invited();
    const report = await world.report(world.maya, event);
    await world.move(report, "investigating", { assignedToUserId: person.id });
    const closing = { state: "closed", notes: "Nobody answered." };
    await world.as(ada).patch(`/api/events/${event.id}/incidents/${report.id}/state`, closing);
    await world.as(ada).delete(`${people()}/${person.id}`);
    const reply = await world.as(ada).get(`/api/events/${event.id}/incidents/${report.id}`);
    expect(reply.body.incident.assignedResponder).toMatchObject({ id: person.id });
    expect(reply.text).not.toContain(person.email);
  });
});

describe("the response to an invitation", () => {
  test("is requested with inviter, place and roles", async () => {
    const person = await invited();
    await grant(person.id, "Reporter");
    const reply = await world.as(person).get(MINE);
    const place = checkRecord({ id: checkUuid, name: checkText, slug: checkText });
    expectShape(reply.body, {
      invitations: checkList(
        checkRecord({
          id: checkUuid,
          event: checkNullable(place),
          organization: place,
          roles: checkList(checkText),
          invitedBy: checkNullable(checkRecord({ name: checkText })),
          invitedAt: checkTime,
        }),
      ),
    });
    expect(reply.body.invitations).toMatchObject([
      {
        id: event.id,
        event: { slug: event.slug },
        roles: ["Reporter", "Responder"],
        invitedBy: { name: ada.name },
      },
    ]);
  });

  test("accepts once, with an audit entry and a notification for the Admins", async () => {
    const person = await invited();
    const replies = await runConcurrently(5, () => accept(person, event.id));
    expect(countOutcomes(replies)).toEqual({ "200": 1, "404 NOT_FOUND": 4 });
    expect(await pending(person)).toEqual([false]);
    const [entry, ...more] = await heed.sql<{ data: object; by_right: string }>(
      "select data, by_right from audit_entries where action = 'eventUser.acceptInvitation' and actor_id = $1",
      [person.id],
    );
    expect([entry?.data, more]).toEqual([{ userId: person.id, roles: ["Responder"] }, []]);
    expect(await invitations(person)).toEqual([]);
  });

  test("declines: the assignment is removed, and its incidents are unassigned", async () => {
    const person = await invited();
    const report = await world.report(world.maya, event);
    await world.move(report, "investigating", { assignedToUserId: person.id });
    expect((await decline(person, event.id)).status).toBe(204);
    expect(await pending(person)).toEqual([]);
    const reply = await world.as(ada).get(`/api/events/${event.id}/incidents/${report.id}`);
    expect(reply.body.incident.assignedResponderId).toBeNull();
    expectRefusal(await world.as(person).get(people()), "403 FORBIDDEN");
    expectRefusal(await decline(person, event.id), "404 NOT_FOUND");
    // They may be invited again.
    await grant(person.id, "Reporter");
    expect(await pending(person)).toEqual([true]);
  });

  test("is yes with the first own call that needs the role", async () => {
    const person = await invited();
    const replies = await runConcurrently(5, () => world.as(person).get(people()));
    expect(countOutcomes(replies)).toEqual({ "200": 5 });
    expect(await pending(person)).toEqual([false]);
    const accepted = "action = 'eventUser.acceptInvitation' and actor_id = $1";
    expect(await heed.rows("audit_entries", accepted, [person.id])).toBe(1);
  });

  test("is not given by pages that are only shown, such as the form of a report that names nobody", async () => {
    const person = await invited("Reporter");
    for (const path of [`/e/${event.slug}/report`, `/e/${event.slug}`, `/e/${event.slug}/incidents`]) {
      const reply = await world.as(person).get(path);
      expect([path, reply.status]).toEqual([path, 200]);
    }
    expect(await pending(person)).toEqual([true]);
    const report = { title: "Shouting at the desk", description: "It went on.", anonymous: true };
    expect((await world.as(person).post(`/api/events/${event.id}/incidents`, report)).status).toBe(201);
    expect(await pending(person)).toEqual([true]);
  });

  test("is not given by calls that need no role there, nor by refused ones", async () => {
    const person = await invited("Reporter");
    const as = world.as(person);
    for (const path of [
      "/api/auth/session",
      "/api/users/me",
      "/api/users/me/events",
      "/api/users/me/notifications",
      `/api/events/slug/${event.slug}`,
      `/api/events/slug/${foreignEvent.slug}/incidents`,
    ])
      expect((await as.get(path)).status, path).toBe(200);
    expectRefusal(await as.get(`/api/events/${event.id}`), "403 FORBIDDEN");
    expect(await pending(person)).toEqual([true]);
  });

  test("is yes with an invite code of the same place", async () => {
    const person = await invited("Responder");
    const made = await world
      .as(ada)
      .post(`/api/events/slug/${event.slug}/invites`, { role: "Reporter", maxUses: 1 });
    const used = await world.as(person).post(`/api/invites/${made.body.invite.code}/redeem`);
    expect(used.status, used.text).toBe(200);
    expect(await pending(person)).toEqual([false]);
  });

  test("to somebody else's invitation is 404", async () => {
    const person = await invited();
    for (const place of [event.id, UNKNOWN_ID, "x", foreignEvent.id]) {
      expectRefusal(await accept(nora, place), "404 NOT_FOUND");
      expectRefusal(await decline(nora, place), "404 NOT_FOUND");
    }
    // An accepted role isn't declined.
    expectRefusal(await decline(person, foreignEvent.id), "404 NOT_FOUND");
    expect(await pending(person)).toEqual([true]);
  });
});

describe("concurrently", () => {
  const rolesHeld = async (person: TestPerson) => (await pending(person)).length;

  test("accepting, declining and removing: the removal takes effect, and nothing fails", async () => {
    for (let round = 0; round < 3; round += 1) {
      const person = await invited();
      const [yes, no, removal] = await Promise.all([
        accept(person, event.id),
        decline(person, event.id),
        world.as(ada).delete(`${people()}/${person.id}`),
      ]);
      expect([200, 404]).toContain(yes.status);
      expect([204, 404]).toContain(no.status);
      expect(removal.status).toBe(no.status === 204 ? 404 : 200);
      expect(await rolesHeld(person)).toBe(0);
    }
  });

  test("use and removal: a person who lost the role is refused", async () => {
    for (let round = 0; round < 3; round += 1) {
      const person = await invited();
      const [use, removal] = await Promise.all([
        world.as(person).get(people()),
        world.as(ada).delete(`/api/events/${event.id}/roles`, { userId: person.id, roleName: "Responder" }),
      ]);
      expect(removal.status).toBe(200);
      expect(["200", "403 FORBIDDEN"]).toContain(Object.keys(countOutcomes([use]))[0]);
      expect(await rolesHeld(person)).toBe(0);
    }
  });
});

describe("membership of an organization", () => {
  const memberOf = async (person: TestPerson) =>
    (await world.as(olga).get(members)).body.members.find(
      ({ user }: { user: TestPerson }) => user.id === person.id,
    );

  test("is an invitation to a stranger, whose address the organization doesn't see", async () => {
    const person = await world.person("Foreign Member", {
      organization: [foreignOrganization, "org_viewer"],
    });
    const reply = await world.as(olga).post(members, { userId: person.id, role: "org_admin" });
    expect(reply.status, reply.text).toBe(201);
    expect(await memberOf(person)).toMatchObject({ user: { email: null }, role: "org_admin", invited: true });
    const audit = await world.as(olga).get(`/api/organizations/${organization.id}/audit`);
    expect(audit.text).not.toContain(person.email);
    expect(await invitations(person)).toMatchObject([
      { id: organization.id, event: null, roles: ["org_admin"], invitedBy: { name: olga.name } },
    ]);
    const used = await world.as(person).get(`/api/organizations/${organization.id}`);
    expect(used.status).toBe(200);
    expect(await memberOf(person)).toMatchObject({ user: { email: person.email }, invited: false });
  });

  test("is immediate for people without a role, and can otherwise be declined", async () => {
    const without = await world.person("No Role Yet");
    await world.as(olga).post(members, { userId: without.id, role: "org_viewer" });
    expect(await memberOf(without)).toMatchObject({ user: { email: without.email }, invited: false });
    const person = await stranger();
    await world.as(olga).post(members, { userId: person.id, role: "org_viewer" });
    expect((await decline(person, organization.id)).status).toBe(204);
    expect(await memberOf(person)).toBeUndefined();
  });

  test("gives a role in new events that waits as well", async () => {
    const place = await world.newOrganization();
    const admin = await world.person("First Admin", { organization: [place, "org_admin"] });
    const person = await stranger();
    await world
      .as(admin)
      .post(`/api/organizations/${place.id}/members`, { userId: person.id, role: "org_admin" });
    const made = await world.as(admin).post(`/api/organizations/${place.id}/events`, {
      name: "New event",
      slug: `new-${generateUniqueWord()}`,
    });
    expect(made.status, made.text).toBe(201);
    expect(await pending(person, made.body.event)).toEqual([true]);
    expect((await world.as(admin).get(`/api/events/${made.body.event.id}/users`)).text).not.toContain(
      person.email,
    );
    // Invited admins are none, where one must stay.
    const removal = await world.as(admin).delete(`/api/organizations/${place.id}/members/${admin.id}`);
    expectRefusal(removal, "409 LAST_ADMIN");
  });
});
