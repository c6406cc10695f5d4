import { expect, test } from "vitest";
import type { Client, Reply } from "#e2e/support/client.ts";
import { startService, type Service } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** `DIRECT_API=off` sends every API request through Next, with the responses of the direct API path (decision 026). */

// Each serving process registers its handlers by itself.
const direct = await startService({ HEED_PROCESSES: "1", DIRECT_API: "on" });
const throughNext = await startService({ HEED_PROCESSES: "1", DIRECT_API: "off" });
const world = await TestWorld.build(direct);

type Step = { request: string; reply: Reply };

/** Files a report, handles it and reads it back, in a new organization. */
async function handleReport(service: Service): Promise<Step[]> {
  const organization = await world.newOrganization("Lakeside Meetups");
  const event = await world.newEvent(organization, "Lakeside Summer Gathering");
  const signIn = async (name: string, roles: Parameters<TestWorld["person"]>[1]) => {
    const person = await world.person(name, roles);
    return { id: person.id, client: service.visitor((await world.device(person)).cookie) };
  };
  const reporter = await signIn("Lena Brandt", { events: [[event, "Reporter"]] });
  const responder = await signIn("Tariq Aziz", { events: [[event, "Responder"]] });
  const viewer = await signIn("Vera Novak", { organization: [organization, "org_viewer"] });

  const steps: Step[] = [];
  const send = async (client: Client, method: string, path: string, body?: unknown) => {
    const reply = await client.send(method, path, body);
    steps.push({ request: `${method} ${path}`, reply });
    return reply.body;
  };
  const incidents = `/api/events/${event.id}/incidents`;
  const report = { title: "Shouting at the door", description: "It went on for a while.", severity: "high" };
  const { id } = (await send(reporter.client, "POST", incidents, report)).incident;
  const incident = `${incidents}/${id}`;
  await send(responder.client, "GET", `${incidents}?status=submitted&limit=5`);
  await send(responder.client, "GET", incident);
  const acknowledged = { state: "acknowledged" };
  await send(responder.client, "PATCH", `${incident}/state`, acknowledged);
  const note = { body: "Spoke with the *host*.", visibility: "internal" };
  const { comment } = await send(responder.client, "POST", `${incident}/comments`, note);
  await send(responder.client, "GET", `${incident}/comments`);
  await send(responder.client, "DELETE", `${incident}/comments/${comment.id}`);
  await send(responder.client, "GET", `${incident}/history`);
  await send(viewer.client, "GET", `/api/organizations/${organization.id}/reports/analytics`);
  await send(reporter.client, "POST", incidents, { title: "" });
  await send(reporter.client, "PATCH", `${incident}/state`, acknowledged);
  await send(viewer.client, "GET", `${incidents}/${organization.id}`);
  await send(service.visitor(), "GET", incident);
  return steps;
}

/** Headers that depend on the path taken or on the moment. */
const VARYING_HEADERS = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary",
  "x-request-id",
]);

/** The steps as text, with ids numbered as they appear and without times, random words and hashes of both. */
function describeSteps(steps: Step[]): string[] {
  const ids = new Map<string, number>();
  const numberId = (id: string) => `id-${ids.get(id) ?? ids.set(id, ids.size).size - 1}`;
  return steps.map(({ request, reply: { status, headers, text } }) => {
    const compared = Object.entries(headers)
      .filter(([name]) => !VARYING_HEADERS.has(name))
      .toSorted(([a], [b]) => a.localeCompare(b));
    return [request, status, JSON.stringify(compared), text]
      .join("\n")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numberId)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "time")
      .replaceAll(/([-.])[0-9a-f]{10}\b/g, "$1word")
      .replaceAll(/(W\/\\"time\/)[\w-]+/g, "$1hash");
  });
}

/** Next names the headers of its router in `Vary`. */
const cameThroughNext = ({ reply }: Step) => /\brsc\b/.test(reply.headers.vary ?? "");

test("a report is filed, handled and read with the same responses as on the direct API path", async () => {
  // The first round registers the handlers of the direct API path.
  await handleReport(direct);
  await handleReport(throughNext);
  const directSteps = await handleReport(direct);
  const nextSteps = await handleReport(throughNext);
  expect(directSteps.map(({ reply }) => reply.status)).toEqual([
    201, 200, 200, 200, 201, 200, 204, 200, 200, 400, 403, 403, 401,
  ]);
  expect(directSteps.filter(cameThroughNext)).toEqual([]);
  expect(nextSteps.filter(cameThroughNext)).toHaveLength(nextSteps.length);
  expect(describeSteps(nextSteps)).toEqual(describeSteps(directSteps));
});
