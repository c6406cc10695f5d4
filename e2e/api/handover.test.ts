import QRCode from "qrcode";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { LOCK_INCIDENT_SQL, runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  SEVERITIES,
  checkText,
  checkTime,
  checkUuid,
} from "#e2e/support/shapes.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";

/** Handover of what somebody holds in an event, and the QR images of its links (contract 6.5, 6.6). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, berta, event, foreignEvent, ines, maya, nora, omar, otherEvent, sam } = world;

const at = (person: TestPerson, what: string) => `/api/events/slug/${event.slug}/users/${person.id}/${what}`;
const holdings = async (person: TestPerson, query = "") =>
  (await world.as(ada).get(`${at(person, "holdings")}${query}`)).body;
const handOver = (person: TestPerson, body: Record<string, unknown>, actor = ada) =>
  world.as(actor).post(at(person, "handover"), body);
const responder = (name = "Leaving Responder") => world.person(name, { events: [[event, "Responder"]] });

/** A report that a person is assigned to. */
async function held(person: TestPerson, state = "investigating", where = event): Promise<ReportRecord> {
  const filed = await world.report(where === event ? maya : sam, where);
  if (state === "submitted") {
    await world.as(sam).patch(`/api/events/slug/${where.slug}/incidents/${filed.id}`, {
      assignedResponderId: person.id,
    });
    return filed;
  }
  return world.move(filed, state, { assignedToUserId: person.id });
}
const assigneeOf = async (report: ReportRecord) =>
  (await heed.sql("select assigned_responder_id as id from incidents where id = $1", [report.id]))[0]?.id;
const historyOf = (report: ReportRecord) =>
  heed.sql(
    `select actor_id, from_value, to_value from incident_history
     where incident_id = $1 and action = 'assignee' order by created_at, id`,
    [report.id],
  );

describe("the open incidents of a person", () => {
  test("are those of this event that are assigned to them", async () => {
    const person = await responder();
    await world.grant(person, otherEvent, "Responder");
    const reports = [await held(person, "submitted"), await held(person), await held(person, "acknowledged")];
    await held(person, "resolved");
    await held(person, "closed");
    await held(person, "investigating", otherEvent);
    await held(omar);
    const body = await holdings(person);
    expectShape(body, {
      incidents: checkList(
        checkRecord({
          id: checkUuid,
          title: checkText,
          state: checkExactly("submitted", "acknowledged", "investigating"),
          severity: checkNullable(checkExactly(...SEVERITIES)),
          createdAt: checkTime,
        }),
      ),
      counts: checkRecord({ submitted: checkCount, acknowledged: checkCount, investigating: checkCount }),
      pagination: PAGINATION,
    });
    expect(body.incidents.map(({ id }: ReportRecord) => id)).toEqual(reports.map(({ id }) => id));
    expect(body.counts).toEqual({ submitted: 1, acknowledged: 1, investigating: 1 });
    expect(body.pagination).toEqual({ page: 1, limit: 100, total: 3, totalPages: 1 });
  });

  test("are listed most severe first, then oldest, in pages", async () => {
    const person = await responder();
    const [low, none, critical, none2] = [
      await held(person),
      await held(person),
      await held(person),
      await held(person),
    ];
    await heed.sql("update incidents set severity = 'low' where id = $1", [low.id]);
    await heed.sql("update incidents set severity = 'critical', escalated_at = now() where id = $1", [
      critical.id,
    ]);
    const order = [critical.id, low.id, none.id, none2.id];
    const ids = async (query: string) =>
      (await holdings(person, query)).incidents.map(({ id }: ReportRecord) => id);
    expect(await ids("")).toEqual(order);
    expect([...(await ids("?limit=3")), ...(await ids("?limit=3&page=2"))]).toEqual(order);
  });

  test("are none for somebody without assignments, and 404 for somebody without a role in the event", async () => {
    expect(await holdings(await responder())).toMatchObject({ incidents: [], pagination: { total: 0 } });
    for (const person of [nora, berta, { ...nora, id: "11111111-1111-4111-8111-111111111111" }]) {
      const reply = await world.as(ada).get(at(person, "holdings"));
      expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
    }
  });

  test("are listed for somebody who has lost the role but is still assigned", async () => {
    const person = await responder();
    const report = await held(person);
    await world.revoke(person, event);
    expect((await holdings(person)).incidents).toMatchObject([{ id: report.id }]);
    expect((await handOver(person, { toUserId: omar.id })).body.reassigned).toBe(1);
    expect(await assigneeOf(report)).toBe(omar.id);
  });
});

describe("the workload of a team", () => {
  const workload = (actor: TestPerson, where = event) =>
    world.as(actor).get(`/api/events/slug/${where.slug}/workload`);

  test("counts what is open, person by person, and nothing of other events", async () => {
    const [person, other] = [await responder(), await responder("Another Responder")];
    const first = await held(person, "submitted");
    await held(person);
    await held(person, "resolved");
    await held(other, "acknowledged");
    await world.grant(other, otherEvent, "Responder");
    await held(other, "investigating", otherEvent);

    const { body } = await workload(ada);
    expectShape(body, {
      people: checkList(checkRecord({ userId: checkUuid, open: checkCount, oldest: checkTime })),
    });
    const of = (who: TestPerson) => body.people.find(({ userId }: { userId: string }) => userId === who.id);
    expect(of(person)).toEqual({ userId: person.id, open: 2, oldest: first.createdAt });
    expect(of(other)).toMatchObject({ open: 1 });
    const counts = body.people.map(({ open }: { open: number }) => open);
    expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
    expect(body.people.some(({ userId }: { userId: string }) => userId === ines.id)).toBe(false);
  });
});

describe("handing over", () => {
  test("assigns all open incidents to somebody else, with history, audit entries and notifications", async () => {
    const person = await responder();
    const reports = [await held(person), await held(person, "acknowledged"), await held(person, "submitted")];
    const closed = await held(person, "closed");
    const elsewhere = await responder("Another Responder").then((other) => held(other));
    await heed.sql("delete from graphile_worker._private_jobs");

    const reply = await handOver(person, { toUserId: omar.id });
    expect([reply.status, reply.body]).toEqual([
      200,
      { message: "3 incidents were handed over.", reassigned: 3 },
    ]);
    for (const report of reports) {
      expect(await assigneeOf(report)).toBe(omar.id);
      expect((await historyOf(report)).at(-1)).toEqual({
        actor_id: ada.id,
        from_value: person.id,
        to_value: omar.id,
      });
    }
    expect(await assigneeOf(closed)).toBe(person.id);
    expect(await assigneeOf(elsewhere)).not.toBe(omar.id);
    expect((await holdings(person)).pagination.total).toBe(0);
    const entries = await heed.sql(
      `select object_id as id, actor_id, event_id, by_right, data from audit_entries
       where action = 'incident.handOver' and object_id = any($1::uuid[])`,
      [reports.map(({ id }) => id)],
    );
    expect(entries.map(({ id }) => id).toSorted()).toEqual(reports.map(({ id }) => id).toSorted());
    for (const entry of entries)
      expect(entry).toMatchObject({
        actor_id: ada.id,
        event_id: event.id,
        by_right: "event:Admin",
        data: { fromUserId: person.id, assignedResponderId: omar.id },
      });
  });

  test("assigns only the given incidents, each once", async () => {
    const person = await responder();
    const [one, other] = [await held(person), await held(person)];
    const body = { toUserId: ada.id, incidentIds: [one.id, one.id.toUpperCase()] };
    expect((await handOver(person, body)).body).toEqual({
      message: "One incident was handed over.",
      reassigned: 1,
    });
    expect(await assigneeOf(one)).toBe(ada.id);
    expect(await assigneeOf(other)).toBe(person.id);
  });

  test("without an assignee unassigns them", async () => {
    const person = await responder();
    const report = await held(person);
    expect((await handOver(person, { toUserId: null })).body).toEqual({
      message: "One incident is now unassigned.",
      reassigned: 1,
    });
    expect(await assigneeOf(report)).toBeNull();
    expect((await historyOf(report)).at(-1)).toMatchObject({ from_value: person.id, to_value: null });
    expect((await handOver(person, { toUserId: null })).body.reassigned).toBe(0);
  });

  test("to somebody who isn't on the team is refused, and changes nothing", async () => {
    const person = await responder();
    const report = await held(person);
    const disabled = await responder("Disabled Responder");
    await world.as(sam).patch(`/api/admin/users/${disabled.id}`, { disabled: true });
    const nowhere = { ...nora, id: "11111111-1111-4111-8111-111111111111" };
    for (const taker of [maya, nora, berta, ines, sam, disabled, nowhere]) {
      const reply = await handOver(person, { toUserId: taker.id });
      expect([reply.status, reply.body.code], taker.name).toEqual([400, "INVALID_ASSIGNEE"]);
      expect(reply.text).not.toContain(taker.name);
    }
    expect(await assigneeOf(report)).toBe(person.id);
  });

  test("to somebody from whom a named one is hidden is refused; without names that one stays", async () => {
    const [person, taker] = [await responder(), await responder("Excluded Responder")];
    const [hidden, shown] = [await held(person), await held(person)];
    const path = `/api/events/${event.id}/incidents/${hidden.id}/readers/${taker.id}`;
    expect((await world.as(ada).put(path, { access: "none" })).status).toBe(200);
    const named = await handOver(person, { toUserId: taker.id, incidentIds: [hidden.id, shown.id] });
    expect([named.status, named.body.code]).toEqual([400, "INVALID_ASSIGNEE"]);
    expect(named.text).toContain("One of these incidents is hidden from this person.");
    expect([await assigneeOf(hidden), await assigneeOf(shown)]).toEqual([person.id, person.id]);
    // Somebody from whom it is hidden is told what they would be of an unknown one.
    await world.grant(taker, event, "Admin");
    const byTaker = await handOver(person, { toUserId: omar.id, incidentIds: [hidden.id] }, taker);
    expect([byTaker.status, byTaker.body.code]).toEqual([404, "NOT_FOUND"]);
    const all = await handOver(person, { toUserId: taker.id });
    expect([all.status, all.body.reassigned]).toEqual([200, 1]);
    expect([await assigneeOf(hidden), await assigneeOf(shown)]).toEqual([person.id, taker.id]);
  });

  test("is refused completely when one of the incidents is no longer assigned to them, or is of another event", async () => {
    const person = await responder();
    const mine = await held(person);
    const foreign = await world.report(world.boris, foreignEvent);
    const elsewhere = await world.report(ines, otherEvent);
    const cases: [ReportRecord, number, string][] = [
      [await held(omar), 409, "CONFLICT"],
      [await held(person, "closed"), 409, "CONFLICT"],
      [foreign, 404, "NOT_FOUND"],
      [elsewhere, 404, "NOT_FOUND"],
      [{ ...mine, id: "11111111-1111-4111-8111-111111111111" }, 404, "NOT_FOUND"],
    ];
    for (const [other, status, code] of cases) {
      const reply = await handOver(person, { toUserId: ada.id, incidentIds: [mine.id, other.id] });
      expect([reply.status, reply.body.code]).toEqual([status, code]);
      expect(await assigneeOf(mine)).toBe(person.id);
    }
  });
  test.each([
    { toUserId: null, incidentIds: [] },
    {
      toUserId: null,
      incidentIds: Array.from({ length: 501 }, () => "11111111-1111-4111-8111-111111111111"),
    },
    { toUserId: omar.id },
  ])("%j is refused", async (body) => {
    const reply = await handOver(omar, body);
    expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
  });

  test("by two people at once gives each incident to one of the takers, and the history says to whom", async () => {
    const person = await responder();
    const reports = [await held(person), await held(person), await held(person)];
    const replies = await Promise.all([
      handOver(person, { toUserId: ada.id }),
      handOver(person, { toUserId: omar.id }, sam),
      handOver(person, { toUserId: ada.id }, sam),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies.reduce((sum, { body }) => sum + body.reassigned, 0)).toBe(3);
    for (const report of reports) {
      const moved = (await historyOf(report)).filter(({ from_value }) => from_value === person.id);
      expect(moved).toHaveLength(1);
      expect(await assigneeOf(report)).toBe(moved[0]?.to_value);
    }
  });
});

describe("leaving the team", () => {
  const remove = (person: TestPerson) =>
    world.as(ada).delete(`/api/events/slug/${event.slug}/users/${person.id}`);
  const revoke = (person: TestPerson, roleName: string) =>
    world.as(ada).delete(`/api/events/${event.id}/roles`, { userId: person.id, roleName });

  test("unassigns the person's incidents, with history, and the response says how many", async () => {
    const person = await responder();
    const [one, other, closed] = [await held(person), await held(person), await held(person, "closed")];
    expect((await remove(person)).body.message).toBe(
      "The person was removed from the event. 2 open incidents assigned to them are now unassigned.",
    );
    for (const report of [one, other]) {
      expect(await assigneeOf(report)).toBeNull();
      expect((await historyOf(report)).at(-1)).toEqual({
        actor_id: ada.id,
        from_value: person.id,
        to_value: null,
      });
    }
    expect(await assigneeOf(closed)).toBe(person.id);
    const [entry] = await heed.sql(
      "select data from audit_entries where action = 'eventUser.remove' and object_id = $1",
      [person.id],
    );
    expect(entry?.data).toMatchObject({ unassigned: 2 });
  });

  test("happens with the last role of the team, not before", async () => {
    const person = await world.person("Both Roles", { events: [[event, "Reporter", "Responder", "Admin"]] });
    const report = await held(person);
    expect((await revoke(person, "Responder")).body.message).toBe("The role was removed.");
    expect(await assigneeOf(report)).toBe(person.id);
    expect((await revoke(person, "Admin")).body.message).toBe(
      "The role was removed. One open incident assigned to them is now unassigned.",
    );
    expect(await assigneeOf(report)).toBeNull();
  });

  test("happens when somebody becomes a Reporter", async () => {
    const person = await responder();
    const report = await held(person);
    const path = `/api/events/slug/${event.slug}/users/${person.id}`;
    const body = { name: person.name, email: person.email, role: "Admin" };
    await world.as(ada).patch(path, body);
    expect(await assigneeOf(report)).toBe(person.id);
    const { message } = (await world.as(ada).patch(path, { ...body, role: "Reporter" })).body;
    expect(message).toContain("One open incident assigned to them is now unassigned.");
    expect(await assigneeOf(report)).toBeNull();
  });

  test("unassigns incidents when somebody leaves the event", async () => {
    const person = await responder();
    const report = await held(person);
    const reply = await world.as(person).delete(`/api/users/me/events/${event.id}`);
    expect(reply.status, reply.text).toBeLessThan(300);
    expect(await assigneeOf(report)).toBeNull();
    expect((await historyOf(report)).at(-1)).toEqual({
      actor_id: person.id,
      from_value: person.id,
      to_value: null,
    });
  });

  const removal = (person: TestPerson) =>
    world.as(sam).delete(`/api/events/slug/${event.slug}/users/${person.id}`);

  test("at the moment of an assignment leaves no incident with somebody who is gone", async () => {
    const person = await responder();
    const next = await world.report(maya, event);
    const assign = () =>
      world.as(ada).patch(`/api/events/slug/${event.slug}/incidents/${next.id}`, {
        assignedResponderId: person.id,
      });
    // The assignment has seen the role, and waits to be recorded, when the role is taken.
    const [assigned, removed] = await runWhileLocked(
      "select 1 from audit_chains where chain = $1 for update",
      [world.organization.id],
      () => Promise.all([assign(), waitForBlockedStatements(1).then(() => removal(person))]),
      () => waitForBlockedStatements(2),
    );
    expect([assigned.status, removed.status]).toEqual([200, 200]);
    expect(removed.body.message).toContain("One open incident");
    expect(await assigneeOf(next)).toBeNull();
  });

  test("of the taker at the moment of a handover leaves no incident with them", async () => {
    const [person, taker] = [await responder(), await responder("Taker")];
    const report = await held(person);
    // By a SystemAdmin: an Admin who hands over keeps all Admins, and so every removal, waiting anyway.
    const [given, removed] = await runWhileLocked(
      LOCK_INCIDENT_SQL,
      [report.id],
      () =>
        Promise.all([
          handOver(person, { toUserId: taker.id }, sam),
          waitForBlockedStatements(1).then(() => removal(taker)),
        ]),
      () => waitForBlockedStatements(2),
    );
    expect([given.status, removed.status]).toEqual([200, 200]);
    expect(await assigneeOf(report)).toBeNull();
    expect((await historyOf(report)).slice(-2)).toMatchObject([
      { from_value: person.id, to_value: taker.id },
      { from_value: taker.id, to_value: null },
    ]);
  });
});

describe("a QR image", () => {
  /** Does a PNG show what the link says, dark and light module by module? */
  async function expectModules(png: Buffer, link: string): Promise<void> {
    const { modules } = QRCode.create(link, { errorCorrectionLevel: "Q" });
    const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true });
    const step = info.width / (modules.size + 8);
    const darkAt = (row: number, column: number) => {
      const pixel = (place: number) => Math.floor((place + 4.5) * step);
      return (data[pixel(row) * info.width + pixel(column)] ?? 255) < 128 ? 1 : 0;
    };
    for (let row = 0; row < modules.size; row += 1)
      for (let column = 0; column < modules.size; column += 1)
        expect(darkAt(row, column)).toBe(modules.get(row, column) ? 1 : 0);
  }

  test("of an invite encodes its link, as SVG and as PNG, and is kept nowhere", async () => {
    const { invite } = (await world.as(ada).post(`/api/events/${event.id}/invites`, { role: "Reporter" }))
      .body;
    for (const base of [`/api/events/${event.id}`, `/api/events/slug/${event.slug}`]) {
      const svg = await world.as(ada).get(`${base}/invites/${invite.id}/qr`);
      expect(svg.headers["content-type"]).toBe("image/svg+xml; charset=utf-8");
      expect(svg.headers["cache-control"]).toBe("private, no-store");
      expect(svg.headers["content-disposition"]).toBe('inline; filename="heed-invite.svg"');
      await expectModules(await sharp(svg.bytes).resize(1024).png().toBuffer(), invite.url);
      const png = await world.as(ada).get(`${base}/invites/${invite.id}/qr?format=png`);
      expect(png.headers["content-type"]).toBe("image/png");
      await expectModules(png.bytes, invite.url);
    }
  });

  test("of an event encodes its report form", async () => {
    const png = await world.as(omar).get(`/api/events/slug/${event.slug}/qr?format=png`);
    await expectModules(png.bytes, `${heed.url.replace("127.0.0.1", "localhost")}/e/${event.slug}/report`);
  });

  test("of another event's invite is 404, like a missing one", async () => {
    const path = `/api/events/${otherEvent.id}/invites`;
    const { invite } = (await world.as(ines).post(path, { role: "Reporter" })).body;
    const elsewhere = await world.as(ada).get(`/api/events/${event.id}/invites/${invite.id}/qr`);
    const absent = await world.as(ada).get(`/api/events/${event.id}/invites/${nora.id}/qr`);
    expect([elsewhere.status, absent.status]).toEqual([404, 404]);
    expect(elsewhere.body).toEqual(absent.body);
  });
});
