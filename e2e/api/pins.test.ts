import { beforeEach, describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { expectShape, checkList, checkUuid } from "#e2e/support/shapes.ts";
import { TestWorld, type EventRef, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";

/** Pins (contract 7.14). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, otherEvent, foreignEvent, berta, boris, maya, nora, omar, rita, sam } = world;

const report = await world.report(maya, event);
const foreign = await world.report(boris, foreignEvent);

beforeEach(() => heed.sql("delete from pins"));

const pin = (person: TestPerson, incident: ReportRecord, where: EventRef = event) =>
  world.as(person).post("/api/users/me/pins", { incidentId: incident.id, eventId: where.id });
const unpin = (person: TestPerson, id: string) => world.as(person).delete(`/api/users/me/pins/${id}`);
const pins = async (person: TestPerson, query = "") =>
  (await world.as(person).get(`/api/users/me/pins${query}`)).body.incidentIds;

describe("pinning", () => {
  test("is one's own, may be repeated, and is undone", async () => {
    for (const _ of [1, 2]) {
      const reply = await pin(omar, report);
      expect([reply.status, reply.text]).toEqual([204, ""]);
    }
    expect(await heed.rows("pins")).toBe(1);
    const { body } = await world.as(omar).get("/api/users/me/pins");
    expectShape(body, { incidentIds: checkList(checkUuid) });
    expect(body.incidentIds).toEqual([report.id]);
    expect(await pins(sam)).toEqual([]);
    for (const _ of [1, 2]) expect((await unpin(omar, report.id)).status).toBe(204);
    expect(await pins(omar)).toEqual([]);
  });

  test("is for whoever may see the report", async () => {
    for (const person of [maya, omar, sam]) expect((await pin(person, report)).status).toBe(204);
    expect((await pin(rita, report)).status).toBe(404);
    for (const person of [nora, berta]) expect((await pin(person, report)).status).toBe(403);
    expect(await heed.rows("pins")).toBe(3);
  });

  test("requires the event of the report", async () => {
    const both = await world.person("Both Events", {
      events: [
        [event, "Responder"],
        [otherEvent, "Responder"],
      ],
    });
    for (const person of [both, sam]) {
      const reply = await pin(person, report, otherEvent);
      expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect((await pin(omar, report, foreignEvent)).status).toBe(403);
    expect((await pin(omar, foreign, event)).status).toBe(404);
    expect((await pin(omar, foreign, foreignEvent)).status).toBe(403);
    const nowhere = { incidentId: report.id, eventId: "11111111-1111-4111-8111-111111111111" };
    expect((await world.as(omar).post("/api/users/me/pins", nowhere)).status).toBe(404);
    expect(await heed.rows("pins")).toBe(0);
  });

  test("has the same response for a missing report and one that isn't visible", async () => {
    const absent = await pin(rita, { ...report, id: "11111111-1111-4111-8111-111111111111" });
    const hidden = await pin(rita, report);
    expect(absent.status).toBe(404);
    expect(hidden.body).toEqual(absent.body);
  });
});

describe("the list of pins", () => {
  test("is of one event when asked so", async () => {
    const both = await world.person("Both Events", {
      events: [
        [event, "Responder"],
        [otherEvent, "Responder"],
      ],
    });
    const other = await world.report(both, otherEvent);
    await pin(both, report);
    await pin(both, other, otherEvent);
    expect((await pins(both)).toSorted()).toEqual([report.id, other.id].toSorted());
    expect(await pins(both, `?eventId=${event.id}`)).toEqual([report.id]);
    expect(await pins(both, `?eventId=${otherEvent.id.toUpperCase()}`)).toEqual([other.id]);
  });

  test("of an event without a role is 403, of one that isn't there 404, of no id 400", async () => {
    const ask = async (query: string) =>
      (await world.as(omar).get(`/api/users/me/pins?eventId=${query}`)).status;
    expect(await ask(foreignEvent.id)).toBe(403);
    expect(await ask("11111111-1111-4111-8111-111111111111")).toBe(404);
    for (const query of ["x", "", `${event.id}&eventId=${event.id}`]) expect(await ask(query)).toBe(400);
  });

  test("leaves out reports that are no longer visible", async () => {
    const person = await world.person("Former Responder", { events: [[event, "Responder"]] });
    await pin(person, report);
    await world.revoke(person, event);
    expect(await pins(person)).toEqual([]);
    await world.grant(person, event, "Reporter");
    expect(await pins(person)).toEqual([]);
    await world.grant(person, event, "Responder");
    expect(await pins(person)).toEqual([report.id]);
  });
});

describe("unpinning", () => {
  test("takes one's own pin only", async () => {
    await pin(omar, report);
    await pin(sam, report);
    expect((await unpin(omar, report.id)).status).toBe(204);
    expect(await pins(sam)).toEqual([report.id]);
  });

  test("works after the role is gone", async () => {
    const person = await world.person("Former Responder", { events: [[event, "Responder"]] });
    await pin(person, report);
    await world.revoke(person, event);
    expect((await unpin(person, report.id)).status).toBe(204);
    expect(await heed.rows("pins")).toBe(0);
  });
});
