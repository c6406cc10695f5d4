import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import type { Client } from "#e2e/support/client.ts";
import { EventStream } from "#e2e/support/event-stream.ts";
import { shareService, startService } from "#e2e/support/service.ts";
import { UNKNOWN_ID, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type ReportRecord } from "#e2e/support/world.ts";

/** Who of the team is at a report: told to one another through every process, and to nobody else. */

const heed = await shareService();
const second = await startService();
const world = await TestWorld.build(heed);
const { ada, boris, event, foreignEvent, maya, nobody, nora, olga, omar, rita, sam, viktor } = world;

const opened: EventStream[] = [];
const open = async (client: Client, base?: string) => {
  const stream = await EventStream.open(client, {}, base);
  opened.push(stream);
  await stream.next("the first count", ({ event: name }) => name === "notification");
  return stream;
};
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

const say = (client: Client, report: { id: string }, doing: unknown, of: Pick<EventRef, "id"> = event) =>
  client.post(`/api/events/${of.id}/incidents/${report.id}/presence`, { doing });
const sayOfVisit = (client: Client, report: { id: string }, doing: string, visit: string) =>
  client.post(`/api/events/${event.id}/incidents/${report.id}/presence`, { doing, visit });
const heard = (stream: EventStream) =>
  stream.events.filter(({ event: name }) => name === "presence").map(({ data }) => data);

/** Who is there besides, as the one who asks is told. */
async function others(client: Client, report: ReportRecord): Promise<string[]> {
  const { body } = await say(client, report, "reading");
  return body.present
    .map((one: { personId: string; doing: string }) => `${one.doing} ${one.personId}`)
    .toSorted();
}

describe("presence", () => {
  test("is sent to the rest of the team in every process, by ids, and ends when a person leaves", async () => {
    const report = await world.report(maya, event);
    const [near, far, own] = await Promise.all([
      open(world.as(ada)),
      open(world.as(ada), second.url),
      open(world.as(omar)),
    ]);
    expect((await say(world.as(omar), report, "reading")).body).toEqual({ present: [] });
    await say(world.as(omar), report, "writing");
    await say(world.as(omar), report, "gone");
    const messages = ["reading", "writing", "gone"].map((doing) => ({
      type: "presence",
      eventId: event.id,
      incidentId: report.id,
      personId: omar.id,
      doing,
    }));
    for (const stream of [near, far]) {
      await waitUntil("three of them", () => heard(stream).length === 3);
      expect(heard(stream)).toEqual(messages);
    }
    expect(heard(own)).toEqual([]);
  });

  test("is returned to people who arrive later, and stores nothing in the database", async () => {
    const report = await world.report(maya, event);
    const counted = async () =>
      Promise.all(
        ["audit_entries", "incident_access", "incident_history", "outbox_events"].map((of) => heed.rows(of)),
      );
    await waitUntil("an empty outbox", async () => (await heed.rows("outbox_events")) === 0);
    const before = await counted();
    await say(world.as(omar), report, "writing");
    await waitUntil("seen by the next", async () => (await others(world.as(ada), report)).length === 1);
    expect(await others(world.as(ada), report)).toEqual([`writing ${omar.id}`]);
    expect(await others(world.as(omar), report)).toEqual([`reading ${ada.id}`]);
    await say(world.as(omar), report, "gone");
    await waitUntil("gone", async () => (await others(world.as(ada), report)).length === 0);
    expect(await counted()).toEqual(before);
  });

  test("isn’t changed by a request that arrives after the end of its visit", async () => {
    const report = await world.report(maya, event);
    const team = await open(world.as(ada), second.url);
    const [visit, next] = [randomUUID(), randomUUID()];
    for (const doing of ["reading", "gone", "writing"])
      await sayOfVisit(world.as(omar), report, doing, visit);
    await sayOfVisit(world.as(omar), report, "reading", next);
    await waitUntil("the next visit", () => heard(team).length === 3);
    expect(heard(team).map(({ doing }) => doing)).toEqual(["reading", "gone", "reading"]);
    expect(JSON.stringify(heard(team))).not.toContain(visit);
    expect(await others(world.as(ada), report)).toEqual([`reading ${omar.id}`]);
    expect(summarizeResponse(await sayOfVisit(world.as(omar), report, "gone", "x"))).toEqual([
      400,
      "VALIDATION_ERROR",
    ]);
  });

  test("is neither sent to nor accepted from reporters, viewers and strangers", async () => {
    const report = await world.report(maya, event);
    const outside = [maya, rita, viktor, olga, nora, boris];
    const streams = await Promise.all(outside.map((person) => open(world.as(person), second.url)));
    const team = await open(world.as(ada), second.url);
    await say(world.as(omar), report, "writing");
    await waitUntil("the team has heard", () => heard(team).length === 1);
    const own = await world.report(maya, event);
    await streams[0]?.change("incident.created", own.id);
    for (const stream of streams) {
      expect(heard(stream)).toEqual([]);
      expect(stream.text).not.toContain(omar.id);
    }
    expect(summarizeResponse(await say(world.as(maya), report, "reading"))).toEqual([403, "FORBIDDEN"]);
    expect(summarizeResponse(await say(world.as(rita), report, "reading"))).toEqual([404, "NOT_FOUND"]);
    for (const person of [viktor, olga, nora, boris])
      expect(summarizeResponse(await say(world.as(person), report, "reading"))).toEqual([403, "FORBIDDEN"]);
    expect(summarizeResponse(await say(nobody, report, "reading"))).toEqual([401, "UNAUTHENTICATED"]);
    expect(heard(team)).toHaveLength(1);
  });

  test("ends at once for people who leave the team", async () => {
    const report = await world.report(maya, event);
    const leaving = await world.person("Leaving Responder", { events: [[event, "Responder"]] });
    const stream = await open(world.as(leaving), second.url);
    await say(world.as(omar), report, "reading");
    await waitUntil("heard", () => heard(stream).length === 1);
    await world
      .as(ada)
      .delete(`/api/events/${event.id}/roles`, { userId: leaving.id, roleName: "Responder" });
    await waitUntil("the lost role", () => stream.events.some(({ event: name }) => name === "roles"));
    const watcher = await open(world.as(ada), second.url);
    await say(world.as(omar), report, "writing");
    await waitUntil("the team has heard", () => heard(watcher).length === 1);
    expect(heard(stream)).toHaveLength(1);
    expect(summarizeResponse(await say(world.as(leaving), report, "reading"))).toEqual([403, "FORBIDDEN"]);
  });

  test("needs a report of the event in the path, and a known state", async () => {
    const report = await world.report(maya, event);
    const foreign = await world.report(boris, foreignEvent);
    expect(summarizeResponse(await say(world.as(omar), foreign, "reading"))).toEqual([404, "NOT_FOUND"]);
    expect(summarizeResponse(await say(world.as(omar), foreign, "reading", foreignEvent))).toEqual([
      403,
      "FORBIDDEN",
    ]);
    expect(summarizeResponse(await say(world.as(omar), { id: UNKNOWN_ID }, "reading"))).toEqual([
      404,
      "NOT_FOUND",
    ]);
    for (const doing of ["sleeping", "", null, undefined, 1])
      expect(summarizeResponse(await say(world.as(omar), report, doing))).toEqual([400, "VALIDATION_ERROR"]);
    expect((await say(world.as(sam), report, "gone")).status).toBe(200);
  });
});
