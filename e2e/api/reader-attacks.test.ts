import { beforeEach, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import {
  PASSWORD,
  TestWorld,
  type EventRef,
  type ReportRecord,
  type TestPerson,
} from "#e2e/support/world.ts";

/**
 * Attempts to read a report that is hidden from the person who tries, or to make it vanish, each through a way of its
 * own (contract 16, 16.9). Everything is done over the API, so that the tests say nothing of how it is stored. In each
 * test, somebody else reads the report, so that there is something to leak.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { organization, maya, olga, sam, viktor } = world;

/** The event's team: an honest Admin and Responder, and Mal, whom reports are about, an admin of the organization too. */
let event: EventRef;
let honest: { admin: TestPerson; responder: TestPerson };
let mal: TestPerson;

beforeEach(async () => {
  event = await world.newEvent(organization);
  honest = {
    admin: await world.person("Hanna Honest", { events: [[event, "Admin"]] }),
    responder: await world.person("Hugo Honest", { events: [[event, "Responder"]] }),
  };
  mal = await world.person("Mal Accused", {
    organization: [organization, "org_admin"],
    events: [[event, "Admin"]],
  });
  await world.grant(maya, event, "Reporter");
});

const at = ({ id }: { id: string }, rest = "") => `/api/events/${event.id}/incidents/${id}${rest}`;
const hideFrom = (by: TestPerson, report: ReportRecord, { id: userId }: TestPerson) =>
  world.as(by).put(at(report, `/readers/${userId}`), { access: "none" });
const openInEmergency = (by: TestPerson, report: ReportRecord) =>
  world.as(by).post(at(report, "/readers/me/emergency"), { reason: "The whole team is away." });

const report = (hiddenFrom: TestPerson[], more = {}) =>
  world.report(maya, event, {
    title: `About Mal ${generateUniqueWord()}`,
    excludedUserIds: hiddenFrom.map(({ id }) => id),
    ...more,
  });

const canRead = async (person: TestPerson, one: ReportRecord): Promise<boolean> => {
  const client = world.as(person);
  const [shown, listed, found] = [
    await client.get(at(one), { failing: true }),
    await client.get(`/api/events/${event.id}/incidents?limit=100`, { failing: true }),
    await client.get(`/api/users/me/incidents?search=${encodeURIComponent(one.title)}`, { failing: true }),
  ];
  return [shown, listed, found].some(({ text }) => text.includes(one.title));
};

async function expectReadByHonestOnly(one: ReportRecord, ...others: TestPerson[]): Promise<void> {
  expect(await canRead(honest.admin, one)).toBe(true);
  for (const person of [mal, ...others]) expect(await canRead(person, one), person.name).toBe(false);
}

const grant = async (by: TestPerson, { id: userId }: TestPerson, roleName: string) => {
  const reply = await world.as(by).post(`/api/events/${event.id}/roles`, { userId, roleName });
  expect(reply.status, reply.text).toBe(200);
};
const createInvite = async (by: TestPerson, role: string): Promise<string> => {
  const reply = await world.as(by).post(`/api/events/slug/${event.slug}/invites`, { role });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.invite.code;
};
const redeem = async (by: TestPerson, code: string) => {
  const reply = await world.as(by).post(`/api/invites/${code}/redeem`);
  expect(reply.status, reply.text).toBe(200);
};
const removeFromTeam = async (by: TestPerson, { id }: TestPerson) => {
  const reply = await world.as(by).delete(`/api/events/slug/${event.slug}/users/${id}`);
  expect(reply.status, reply.text).toBeLessThan(300);
};
const changeAccount = async (by: TestPerson, { id }: TestPerson, change: object) => {
  const reply = await world.as(by).patch(`/api/admin/users/${id}`, change);
  expect(reply.status, reply.text).toBe(200);
};
const nameOutsidePerson = async (by: TestPerson, person: TestPerson | null) => {
  const path = `/api/organizations/${organization.id}/outside-person`;
  const reply = await world.as(by).put(path, { userId: person?.id ?? null });
  expect(reply.status, reply.text).toBe(200);
};

test("a second account that is made later reads nothing, whatever role it is given", async () => {
  const one = await report([mal]);
  const second = await world.person("Mal Again");
  await world.grant(second, event, "Reporter");
  await grant(mal, second, "Responder");
  await grant(mal, second, "Admin");
  await expectReadByHonestOnly(one, second);
});

test("who can't read a report neither lets a second account in nor learns from that how many there are", async () => {
  const one = await report([mal]);
  const second = await world.person("Mal Again");
  await world.grant(second, event, "Reporter");
  await grant(mal, second, "Admin");
  for (const by of [mal, second]) {
    const path = `/api/events/slug/${event.slug}/users/${second.id}/closed-incidents`;
    expect((await world.as(by).get(path)).body).toEqual({ incidents: [], total: 0 });
    expect((await world.as(by).post(path)).body).toEqual({ incidents: [], total: 0 });
  }
  await expectReadByHonestOnly(one, second);
});

test("a list that the reporter made is ended neither by whom it keeps out nor by an Admin who helps them", async () => {
  const one = await report([mal]);
  expect((await world.as(mal).delete(at(one, "/readers"))).status).toBe(404);
  expect((await world.as(honest.responder).delete(at(one, "/readers"))).status).toBe(403);
  expect((await world.as(honest.admin).delete(at(one, "/readers"))).status).toBe(403);
  await expectReadByHonestOnly(one);
});

test("an invite that is passed on opens nothing, whoever made it", async () => {
  const codes = [await createInvite(mal, "Responder"), await createInvite(honest.admin, "Responder")];
  const one = await report([mal]);
  codes.push(await createInvite(mal, "Admin"));
  for (const [index, code] of codes.entries()) {
    const guest = await world.person(`Guest ${index}`);
    await redeem(guest, code);
    await expectReadByHonestOnly(one, guest);
  }
});

test("a role that was given by somebody who can't read it opens nothing to honest people either", async () => {
  const one = await report([mal]);
  const attendee = await world.person("Kim Attendee", { events: [[event, "Reporter"]] });
  await grant(mal, attendee, "Responder");
  const next = await world.person("Next Attendee", { events: [[event, "Reporter"]] });
  await grant(mal, attendee, "Admin");
  await grant(attendee, next, "Responder");
  await expectReadByHonestOnly(one, attendee, next);
});

test("whoever leaves and returns finds it as hidden as before", async () => {
  const one = await report([mal]);
  await removeFromTeam(honest.admin, mal);
  await redeem(mal, await createInvite(honest.admin, "Responder"));
  await expectReadByHonestOnly(one);
});

test("an account that a SystemAdmin enables again, from whom it is hidden, reads nothing", async () => {
  const [zoe, sleeper] = [
    await world.person("Zoe System", { systemAdmin: true }),
    await world.person("Zoe Again", { events: [[event, "Responder"]] }),
  ];
  await changeAccount(zoe, sleeper, { disabled: true });
  const one = await report([mal]);
  expect((await hideFrom(maya, one, zoe)).status).toBe(200);
  await changeAccount(zoe, sleeper, { disabled: false });
  await world.signIn(sleeper);
  await expectReadByHonestOnly(one, zoe, sleeper);
  await changeAccount(sam, zoe, { systemAdmin: false });
});

test("a SystemAdmin's puppet reads nothing", async () => {
  const zoe = await world.person("Zoe System", { systemAdmin: true });
  const one = await report([mal]);
  expect((await hideFrom(maya, one, zoe)).status).toBe(200);
  const puppet = await world.person("Zoe Again");
  await changeAccount(zoe, puppet, { systemAdmin: true });
  await world.signIn(puppet);
  await expectReadByHonestOnly(one, zoe, puppet);
  for (const person of [puppet, zoe]) await changeAccount(sam, person, { systemAdmin: false });
});

test("a report that loses its last reader goes to the person outside, not to whoever removed them", async () => {
  await nameOutsidePerson(olga, viktor);
  const one = await report([mal]);
  for (const person of [honest.admin, honest.responder]) await removeFromTeam(mal, person);
  const second = await world.person("Mal Again", { events: [[event, "Reporter"]] });
  await grant(mal, second, "Admin");
  await heed.sql("select graphile_worker.add_job('letOutsidePeopleIn', '{}')");
  await waitUntil("a reader", async () => (await world.as(viktor).get(at(one))).status === 200, 60_000);
  for (const person of [mal, second]) expect(await canRead(person, one), person.name).toBe(false);
  await nameOutsidePerson(olga, null);
});

test("an Admin can't bury a report, with a second account neither", async () => {
  const second = await world.person("Mal Again");
  await redeem(second, await createInvite(mal, "Admin"));
  const one = await world.report(maya, event, { title: `To bury ${generateUniqueWord()}` });
  const systemAdmins = await heed.sql<TestPerson>(
    "select id, email, name from users where system_admin and disabled_at is null",
  );
  for (const person of systemAdmins) await world.signIn(person);
  const everybody = [honest.admin, honest.responder, olga, viktor, ...systemAdmins];
  for (const by of [mal, second]) for (const person of everybody) await hideFrom(by, one, person);
  const reading = await Promise.all(everybody.map((person) => canRead(person, one)));
  expect(reading).toContain(true);
});

test("a person outside who is named for the purpose reads nothing", async () => {
  await nameOutsidePerson(olga, null);
  const one = await report([mal]);
  const second = await world.person("Mal Again");
  await world.join(second, organization, "org_viewer");
  await nameOutsidePerson(mal, second);
  for (const person of [honest.admin, honest.responder]) await hideFrom(maya, one, person);
  await heed.sql("select graphile_worker.add_job('letOutsidePeopleIn', '{}')");
  await waitUntil(
    "the job",
    async () =>
      (await heed.rows(
        "graphile_worker.jobs",
        "task_identifier = 'letOutsidePeopleIn' and locked_at is null and run_at <= now()",
      )) === 0,
  );
  for (const person of [mal, second]) expect(await canRead(person, one), person.name).toBe(false);
  await nameOutsidePerson(olga, null);
});

test("an emergency opening ends by itself, and lets nobody in", async () => {
  const one = await report([mal]);
  expect((await hideFrom(maya, one, sam)).status).toBe(200);
  expect(await canRead(sam, one)).toBe(false);
  expect((await openInEmergency(sam, one)).status).toBe(200);
  expect(await canRead(sam, one)).toBe(true);
  const puppet = await world.person("Sam Again", { events: [[event, "Responder"]] });
  const { hiddenFrom: people } = (await world.as(sam).get(at(one, "/readers"))).body;
  expect(people.map(({ canLetIn }: { canLetIn: boolean }) => canLetIn)).not.toContain(true);
  expect((await world.as(sam).put(at(one, `/readers/${puppet.id}`), { access: "full" })).status).toBe(403);
  expect((await hideFrom(sam, one, honest.responder)).status).toBe(403);
  expect(await canRead(puppet, one)).toBe(false);
  await heed.sql("update incident_readers set opened_until = now() where incident_id = $1", [one.id]);
  await expectReadByHonestOnly(one, sam);
});

const putUnderConflictCheck = (one: ReportRecord) =>
  heed.sql("update incidents set conflict_check = true where id = $1", [one.id]);
const answerNone = (person: TestPerson, one: ReportRecord) =>
  world.as(person).post(at(one, "/readers/me/answer"), { answer: "none" });

/** Lists the forms of a page that change its incident or write to somebody. */
const listOffers = (html: string): string[] =>
  [
    ...html.matchAll(
      /<(?:textarea|select|input)[^>]* name="(body|notes|resolution|outcome|severity|state|relatedFiles|assignedToUserId|label|reviewOn|title)"/g,
    ),
  ].map(([, name]) => name!);

test("whoever opened it in an emergency reads it, and changes nothing", async () => {
  const root = await world.person("Root Excluded", { systemAdmin: true });
  const one = await report([mal]);
  const visible = await report([]);
  const reviewDay = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const note = { body: "Talk to them tomorrow.", visibility: "internal" };
  const { comment } = (await world.as(honest.responder).post(at(one, "/comments"), note)).body;
  expect((await hideFrom(maya, one, root)).status).toBe(200);
  expect((await openInEmergency(root, one)).status).toBe(200);
  for (const rest of ["", "/comments", "/history", "/readers", "/conversations"])
    expect((await world.as(root).get(at(one, rest))).status, rest).toBe(200);
  const holder = `/api/events/slug/${event.slug}/users/${honest.responder.id}/handover`;
  for (const { id } of [one, visible])
    expect(
      (
        await world.as(honest.admin).patch(`/api/events/slug/${event.slug}/incidents/${id}`, {
          assignedResponderId: honest.responder.id,
        })
      ).status,
    ).toBe(200);
  const attempts = (
    target: ReportRecord,
  ): [string, "post" | "patch" | "put" | "delete", string, object?][] => [
    ["title", "patch", at(target, "/title"), { title: "Nothing happened here" }],
    ["severity", "patch", `/api/events/slug/${event.slug}/incidents/${target.id}`, { severity: "low" }],
    ["message", "post", at(target, "/comments"), { body: "Hello there.", visibility: "public" }],
    ["conversation", "post", at(target, "/conversations"), { party: "witness", label: "A witness" }],
    ["handover", "post", holder, { toUserId: null, incidentIds: [target.id] }],
    ["hold", "put", at(target, "/hold"), { reason: "Keep this for a while.", reviewOn: reviewDay }],
    ["status", "patch", at(target, "/state"), { state: "closed", notes: "Nothing to see." }],
  ];
  for (const [what, method, path, body] of attempts(one)) {
    const reply = await world.as(root)[method](path, body);
    expect([what, reply.status, reply.body.code]).toEqual([what, 403, "FORBIDDEN"]);
  }
  expect((await world.as(root).delete(at(one, `/comments/${comment.id}`))).status).toBe(403);
  for (const rest of ["", "/conversations"]) {
    const { text } = await world.as(root).get(`/e/${event.slug}/i/${one.id}${rest}`);
    expect(text).toContain(one.title);
    expect(listOffers(text), rest).toEqual([]);
    const other = await world.as(root).get(`/e/${event.slug}/i/${visible.id}${rest}`);
    expect(listOffers(other.text).length, rest).toBeGreaterThan(0);
  }
  for (const [what, method, path, body] of attempts(visible))
    expect((await world.as(root)[method](path, body)).status, what).toBeLessThan(300);
});

test("an emergency opening doesn't last longer by an answer to the conflict check", async () => {
  const one = await report([]);
  await putUnderConflictCheck(one);
  for (const person of [mal, sam]) expect((await hideFrom(maya, one, person)).status).toBe(200);
  expect((await answerNone(honest.admin, one)).status).toBe(204);
  expect((await openInEmergency(sam, one)).status).toBe(200);
  expect(await canRead(sam, one)).toBe(true);
  expect((await world.as(sam).get(at(one, "/conflict-check"))).body.conflictCheck.status).toBeNull();
  expect((await answerNone(sam, one)).status).toBe(409);
  await heed.sql("update incident_readers set opened_until = now() where incident_id = $1", [one.id]);
  await expectReadByHonestOnly(one, sam);
});

test("an answer of somebody who left before a report was hidden puts nobody on its list", async () => {
  const one = await report([]);
  await putUnderConflictCheck(one);
  const [former, member] = [await world.person("Fay Former"), await world.person("Mo Member")];
  for (const person of [former, member]) await redeem(person, await createInvite(mal, "Responder"));
  await world.join(member, organization, "org_viewer");
  for (const person of [honest.admin, former, member])
    expect((await answerNone(person, one)).status).toBe(204);
  expect(await canRead(former, one)).toBe(true);
  for (const person of [former, member]) await removeFromTeam(mal, person);
  // Nor does anybody learn that a stranger had answered.
  expect((await hideFrom(maya, one, former)).status).toBe(400);
  expect((await hideFrom(maya, one, mal)).status).toBe(200);
  for (const person of [former, member]) await redeem(person, await createInvite(mal, "Responder"));
  await expectReadByHonestOnly(one, former, member);
});

test("a name that is spelled wrong hides the report from the whole team", async () => {
  await nameOutsidePerson(olga, viktor);
  const sent = await report([], { aboutTeam: "named", excludedName: "Mal Acused" });
  for (const person of [mal, honest.admin, honest.responder])
    expect(await canRead(person, sent), person.name).toBe(false);
  expect((await world.as(viktor).get(at(sent))).status).toBe(200);
  await nameOutsidePerson(olga, null);
});

test("a name that is typed also hides the report from the SystemAdmin who has it", async () => {
  const root = await world.person("Rufus Installer", { systemAdmin: true });
  expect(await canRead(root, await report([]))).toBe(true);
  const one = await report([], { aboutTeam: "named", excludedName: "Rufus Installer" });
  expect(await canRead(root, one)).toBe(false);
});

test("an account that was deleted and comes back reads nothing", async () => {
  const one = await report([mal]);
  const { email } = mal;
  const deleted = await world.as(mal).delete("/api/users/me", { currentPassword: PASSWORD });
  expect(deleted.status, deleted.text).toBeLessThan(300);
  const again = await world.person("Mal Returned");
  await heed.sql("update users set email = $2 where id = $1", [again.id, email]);
  await redeem(again, await createInvite(honest.admin, "Responder"));
  expect(await canRead(honest.admin, one)).toBe(true);
  expect(await canRead(again, one)).toBe(false);
});
