import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildForm } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** Reports that nobody on the response team may read, and the outside person who reads them (contract 16.7). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, organization, maya, omar, ada, olga, viktor, sam } = world;

const contactPath = `/api/organizations/${organization.id}/outside-person`;
const at = (id: string, rest = "") => `/api/events/${event.id}/incidents/${id}${rest}`;
const name = (person: TestPerson | null) => world.as(olga).put(contactPath, { userId: person && person.id });
const send = (by: TestPerson, excluded: readonly TestPerson[], more = {}) =>
  world.as(by).post(`/api/events/${event.id}/incidents`, {
    title: `About the team ${generateUniqueWord()}`,
    description: "Both of them were there.",
    excludedUserIds: excluded.map(({ id }) => id),
    ...more,
  });
const readAs = async (person: TestPerson, id: string) => (await world.as(person).get(at(id))).status;

beforeAll(async () => {
  expect((await name(viktor)).body).toEqual({
    outsidePerson: { id: viktor.id, name: viktor.name },
    userId: viktor.id,
  });
});

async function runJob(): Promise<void> {
  await heed.sql("select graphile_worker.add_job('letOutsidePeopleIn', '{}')");
  await waitUntil("the end of the job", async () => {
    const jobs = await heed.sql(
      "select 1 from graphile_worker.jobs where task_identifier = 'letOutsidePeopleIn'",
    );
    return jobs.length === 0;
  });
}

/** A report that maya hides from the whole team. */
async function sendToOutsidePerson(more = {}): Promise<string> {
  const sent = await send(maya, [omar, ada], more);
  expect(sent.status, sent.text).toBe(201);
  return sent.body.incident.id;
}

describe("the outside person", () => {
  test("is a member of the organization, named by its admins and shown with the report settings", async () => {
    expect((await name(maya)).status).toBe(400);
    expect((await world.as(viktor).put(contactPath, { userId: viktor.id })).status).toBe(403);
    const settings = await world.nobody.get(`/api/events/slug/${event.slug}/report-settings`);
    expect(settings.body.reportSettings.outsidePerson).toEqual({ id: viktor.id, name: viktor.name });
    const log = await world.as(olga).get(`/api/organizations/${organization.id}/audit?limit=20`);
    expect(log.text).toContain("organization.changeOutsidePerson");
  });

  test("reads and handles a report that is hidden from everybody on the team", async () => {
    const id = await sendToOutsidePerson({ severity: "high" });
    for (const person of [omar, ada]) expect(await readAs(person, id)).toBe(404);
    for (const path of [at(id), `/api/events/slug/${event.slug}/incidents/${id}`])
      expect((await world.as(viktor).get(path)).body.incident).toMatchObject({ id, severity: "high" });
    const moved = await world.as(viktor).patch(at(id, "/state"), {
      state: "investigating",
      notes: "I look into it.",
      assignedToUserId: viktor.id,
    });
    expect(moved.status, moved.text).toBe(200);
    const said = await world
      .as(viktor)
      .post(at(id, "/comments"), { visibility: "public", body: "Thank you." });
    expect(said.status, said.text).toBe(201);
    const note = { visibility: "internal", body: "Only for me." };
    expect((await world.as(viktor).post(at(id, "/comments"), note)).status).toBe(201);
    const file = await world
      .as(viktor)
      .post(at(id, "/related-files"), buildForm({}, { name: "a.txt", bytes: "what I found" }));
    expect(file.status, file.text).toBe(201);
    expect((await world.as(maya).get(at(id, "/comments"))).text).toContain("Thank you.");
    expect((await world.as(maya).get(at(id, "/comments"))).text).not.toContain("Only for me.");
    const access = await world.as(viktor).get(at(id, "/access"));
    expect(access.text).toContain('"outsidePerson"');
    const readers = (await world.as(maya).get(at(id, "/readers"))).body;
    expect(readers.outsidePerson).toEqual({ id: viktor.id, name: viktor.name });
  });

  test("is notified, and finds the report in a list of their own", async () => {
    const id = await sendToOutsidePerson();
    const about = async () => {
      const { notifications } = (await world.as(viktor).get("/api/users/me/notifications?limit=100")).body;
      return notifications.filter((one: { incidentId: string }) => one.incidentId === id);
    };
    await waitUntil("a notification", async () => (await about()).length > 0);
    expect(await about()).toEqual([
      expect.objectContaining({
        kind: "incident.created",
        incident: expect.objectContaining({ title: expect.stringContaining("About the team") }),
      }),
    ]);
    const { incidents } = (await world.as(viktor).get("/api/users/me/outside-incidents")).body;
    expect(incidents[0]).toMatchObject({ id, event: { slug: event.slug }, state: "submitted" });
    for (const person of [olga, ada, maya])
      expect((await world.as(person).get("/api/users/me/outside-incidents")).body.incidents).toEqual([]);
  });

  test("sees nothing else of the event", async () => {
    const outside = await sendToOutsidePerson();
    const other = await world.report(maya, event);
    expect((await world.as(viktor).get(at(other.id))).status).toBe(403);
    const mixed = `/api/events/${world.otherEvent.id}/incidents/${outside}`;
    expect((await world.as(viktor).get(mixed)).status).toBe(403);
    expect((await world.as(viktor).get(`/api/events/${event.id}/incidents`)).status).toBe(403);
    expect((await world.as(viktor).get("/api/users/me/incidents")).text).not.toContain(outside);
  });

  test("reads nothing with a token, nor after leaving the organization", async () => {
    const leaver = await world.person("Lea Verlaine", { organization: [organization, "org_viewer"] });
    await name(leaver);
    const id = await sendToOutsidePerson();
    expect(await readAs(leaver, id)).toBe(200);
    const made = await world
      .as(leaver)
      .post("/api/users/me/tokens", { name: "Nightly", scope: "read", currentPassword: PASSWORD });
    const by = { headers: { authorization: `Bearer ${made.body.token}` } };
    expect((await world.nobody.get(at(id), by)).status).toBe(403);
    const left = await world.as(olga).delete(`/api/organizations/${organization.id}/members/${leaver.id}`);
    expect(left.status, left.text).toBeLessThan(300);
    expect(await readAs(leaver, id)).toBe(403);
    expect((await world.as(olga).get(contactPath)).body).toMatchObject({ outsidePerson: null });
    expect(await readAs(sam, id)).toBe(200);
    await name(viktor);
  });

  test("keeps a report after another one is named, who doesn't see it", async () => {
    const id = await sendToOutsidePerson();
    await name(olga);
    expect(await readAs(viktor, id)).toBe(200);
    expect(await readAs(olga, id)).toBe(403);
    await name(viktor);
  });
});

describe("a hidden report whose last reader leaves the team", () => {
  const PATH = "/api/admin/unread-incidents";
  const listUnread = async (person: TestPerson): Promise<string[]> =>
    (await world.as(person).get(PATH)).body.incidents.map(({ id }: { id: string }) => id);

  test("says so to its reporter and to SystemAdmins, and goes to the outside person of then", async () => {
    await name(null);
    const place = await world.newEvent(organization);
    const [reader, excluded] = [
      await world.person("Reading Admin", { events: [[place, "Admin"]] }),
      await world.person("Hidden Admin", { events: [[place, "Admin"]] }),
    ];
    const visitor = heed.visitor();
    const sent = await visitor.post(
      `/api/events/slug/${place.slug}/anonymous-reports`,
      {
        title: `Nobody named ${generateUniqueWord()}`,
        description: "By the stairs.",
        openMailbox: true,
        excludedUserIds: [excluded.id],
      },
      { opensMailbox: true },
    );
    expect(sent.status, sent.text).toBe(201);
    const readMailbox = async () => (await visitor.get("/api/mailbox")).body.mailbox;
    expect(await readMailbox()).toMatchObject({ hasReader: true });
    const removed = await world.as(excluded).delete(`/api/events/slug/${place.slug}/users/${reader.id}`);
    expect(removed.status, removed.text).toBeLessThan(300);
    expect(await readMailbox()).toMatchObject({ hasReader: false, outsidePerson: null });
    const [{ id } = { id: "" }] = await heed.sql<{ id: string }>(
      "select id from incidents where event_id = $1",
      [place.id],
    );
    expect(await listUnread(sam)).toContain(id);
    // A SystemAdmin from whom it is hidden doesn't find it there.
    const other = await world.person("Second Admin", { systemAdmin: true });
    await heed.sql(
      "insert into incident_readers (incident_id, user_id, access, source) values ($1, $2, 'none', 'reporter')",
      [id, other.id],
    );
    expect(await listUnread(other)).not.toContain(id);
    expect((await world.as(excluded).get(PATH)).status).toBe(403);
    await name(viktor);
    await heed.sql("update incidents set outside_person_id = $1 where id = $2", [viktor.id, id]);
    await runJob();
    expect(await readMailbox()).toMatchObject({ hasReader: true, outsidePerson: { name: viktor.name } });
    expect(await listUnread(sam)).not.toContain(id);
    expect((await world.as(viktor).get(`/api/events/${place.id}/incidents/${id}`)).status).toBe(200);
    const logs = await world.as(excluded).get(`/api/events/slug/${place.slug}/audit?limit=100`);
    expect([logs.status, logs.text.includes(id)]).toEqual([200, false]);
  });
});

describe("hiding a report from the last reader", () => {
  test("is refused where nobody is named, or who is named is ticked or reports it", async () => {
    await name(null);
    expect((await send(maya, [omar, ada])).status).toBe(400);
    await name(olga);
    expect((await send(maya, [omar, ada, olga])).status).toBe(400);
    const member = await world.person("Mem Berger", {
      organization: [organization, "org_viewer"],
      events: [[event, "Reporter"]],
    });
    await name(member);
    expect((await send(member, [omar, ada])).status).toBe(400);
    await name(viktor);
  });

  test("of the reporter's own report leaves it with the outside person, whoever else is on the team", async () => {
    const sent = await send(ada, [omar]);
    expect(sent.status, sent.text).toBe(201);
    expect(await readAs(viktor, sent.body.incident.id)).toBe(200);
    await name(null);
    expect((await send(ada, [omar])).status).toBe(400);
    await name(viktor);
  });

  test("later leaves it with the outside person, too, unless somebody on the team does it", async () => {
    const report = await world.report(maya, event);
    const hideFrom = (by: TestPerson, person: TestPerson) =>
      world.as(by).put(at(report.id, `/readers/${person.id}`), { access: "none" });
    expect((await hideFrom(maya, omar)).body.outsidePerson).toBeNull();
    expect((await world.as(ada).post(at(report.id, "/readers/me/step-out"), {})).status).toBe(400);
    expect(await readAs(viktor, report.id)).toBe(403);
    expect((await hideFrom(maya, ada)).body.outsidePerson).toEqual({ id: viktor.id, name: viktor.name });
    expect(await readAs(ada, report.id)).toBe(404);
    expect(await readAs(viktor, report.id)).toBe(200);
    expect((await hideFrom(maya, viktor)).status).toBe(400);
    await waitUntil("a notification", async () => {
      const { text } = await world.as(viktor).get("/api/users/me/notifications?limit=100");
      return text.includes(report.id);
    });
  });

  test("without an account is shown in the mailbox, by name where the event shows its team", async () => {
    const visitor = heed.visitor();
    const body = {
      title: `Nobody named ${generateUniqueWord()}`,
      description: "By the stairs.",
      openMailbox: true,
    };
    const sent = await visitor.post(
      `/api/events/slug/${event.slug}/anonymous-reports`,
      { ...body, excludedUserIds: [omar.id, ada.id] },
      { opensMailbox: true },
    );
    expect(sent.status, sent.text).toBe(201);
    const read = async () => (await visitor.get("/api/mailbox")).body.mailbox;
    expect(await read()).toMatchObject({
      hiddenFrom: [{ name: null }, { name: null }],
      outsidePerson: { name: viktor.name },
    });
    await world.as(ada).patch(`/api/events/${event.id}/report-settings`, { showTeam: true });
    const names = (await read()).hiddenFrom.map((one: { name: string }) => one.name);
    expect(names.toSorted()).toEqual([ada.name, omar.name].toSorted());
  });
});

describe("a report about somebody on the team", () => {
  const path = `/api/events/slug/${event.slug}/anonymous-reports`;

  async function sendWithoutAccount(answer: object) {
    const visitor = heed.visitor();
    const title = `About one of them ${generateUniqueWord()}`;
    const body = { title, description: "At the desk.", openMailbox: true, ...answer };
    const sent = await visitor.post(path, body, { opensMailbox: true });
    const [row] = await heed.sql<{ id: string }>("select id from incidents where title = $1", [title]);
    return { visitor, sent, id: row?.id ?? "" };
  }

  const listReaders = async (id: string) => {
    const people = [ada, omar, viktor];
    const statuses = await Promise.all(people.map((person) => readAs(person, id)));
    return people.filter((_, at) => statuses[at] === 200).map((person) => person.name);
  };

  test.each([
    ["no", { aboutTeam: "no", excludedName: "Omar", excludedUserIds: [omar.id] }, [ada.name, omar.name]],
    ["a name that somebody has", { aboutTeam: "named", excludedName: "ömar  HADDAD" }, [ada.name]],
    ["a part of a name", { excludedName: "Omar" }, [ada.name]],
    ["names of everybody", { aboutTeam: "named", excludedName: "Omar, Ada Nwosu" }, [viktor.name]],
    ["a name that nobody has", { aboutTeam: "named", excludedName: "Kim Unknown" }, [viktor.name]],
    ["one that can't be named", { aboutTeam: "unnamed" }, [viktor.name]],
    ["the whole team", { aboutTeam: "everyone" }, [viktor.name]],
  ])("is read by who is left: %s", async (_, answer, readers) => {
    const { sent, id } = await sendWithoutAccount(answer);
    expect(sent.status, sent.text).toBe(201);
    expect(await listReaders(id)).toEqual(readers);
  });

  test("about everybody waits for the outside person also where nobody is on the team yet", async () => {
    const place = await world.newEvent(organization);
    await world.grant(maya, place, "Reporter");
    const { id } = await world.report(maya, place, { aboutTeam: "everyone" });
    await world.grant(omar, place, "Responder");
    const readOf = async (person: TestPerson) =>
      (await world.as(person).get(`/api/events/${place.id}/incidents/${id}`)).status;
    expect([await readOf(viktor), await readOf(omar)]).toEqual([200, 404]);
  });

  test("tells nobody whether anybody has the name, but whoever reads it who it is about", async () => {
    await world.as(ada).patch(`/api/events/${event.id}/report-settings`, { showTeam: false });
    const shown = [];
    for (const excludedName of ["Omar Haddad", "Kim Unknown"]) {
      const { visitor, sent, id } = await sendWithoutAccount({ aboutTeam: "named", excludedName });
      const { receipt: _, ...response } = sent.body;
      const { report: __, receipt: ___, ...mailbox } = (await visitor.get("/api/mailbox")).body.mailbox;
      shown.push({ status: sent.status, response, mailbox });
      const reader = excludedName === "Omar Haddad" ? ada : viktor;
      const read = await world.as(reader).get(at(id));
      expect(read.body.incident.reportedPersonName).toBe(excludedName);
    }
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]?.mailbox).toMatchObject({
      hiddenByName: true,
      hiddenFrom: [],
      outsidePerson: null,
      hasReader: true,
    });
  });

  test("needs to say about whom, if it says that it can", async () => {
    const { sent } = await sendWithoutAccount({ aboutTeam: "named" });
    expect([sent.status, sent.body.details]).toEqual([400, expect.stringMatching(/^aboutTeam: /)]);
  });

  describe("where nobody outside the team can read it", () => {
    beforeAll(async () => void (await name(null)));
    afterAll(async () => void (await name(viktor)));

    test("waits for somebody who can, and doesn't hide from nobody", async () => {
      const { sent, id, visitor } = await sendWithoutAccount({ aboutTeam: "everyone" });
      expect([sent.status, await listReaders(id)]).toEqual([201, []]);
      expect((await visitor.get("/api/mailbox")).body.mailbox.hasReader).toBe(false);
      const unknown = await sendWithoutAccount({ excludedName: "Kim Unknown" });
      expect(await listReaders(unknown.id)).toEqual([ada.name, omar.name]);
    });

    test("isn't refused for the name of the last reader, which would tell that it is theirs", async () => {
      const { sent, id } = await sendWithoutAccount({ excludedName: "Ada and Omar" });
      expect([sent.status, await listReaders(id)]).toEqual([201, []]);
    });
  });
});
