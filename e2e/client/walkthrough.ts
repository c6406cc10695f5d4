import assert from "node:assert/strict";
import { ApiClient, ApiError } from "./client.ts";
import type { components } from "./schema.ts";

/**
 * A program that calls the service at the given address, whose database is empty, through a client with generated
 * types. It compiles only if the OpenAPI document describes each call.
 */

type Incident = components["schemas"]["Incident"];
type Event = components["schemas"]["Event"];
type IncidentState = components["schemas"]["IncidentState"];

const [base = ""] = process.argv.slice(2);
const PASSWORD = "lantern-orbit-thistle-42";

const admin = await signUp("Ada Admin", "ada@example.org");
const reporter = await signUp("Maya Reporter", "maya@example.org");

const event = await createEvent();
const incident = await report(event);
await converse(event, incident);
await resolve(event, incident);
await evaluate(event, incident);
await meetErrors(event);
console.log("done");

async function signUp(name: string, email: string): Promise<ApiClient> {
  const client = new ApiClient(base);
  const before = await client.call("get", "/api/auth/session", { path: {} });
  assert.equal(before.authenticated, false);
  const registered = await client.call("post", "/api/auth/register", {
    path: {},
    body: { name, email, password: PASSWORD },
  });
  await client.call("post", "/api/auth/login", { path: {}, body: { email, password: PASSWORD } });
  const session = await client.call("get", "/session", { path: {} });
  // The union tells the compiler that there is a user.
  assert.ok(session.authenticated);
  assert.equal(session.user.id, registered.user.id);
  return client;
}

async function createEvent(): Promise<Event> {
  const { organization } = await admin.call("post", "/api/organizations", {
    path: {},
    body: { name: "Example Organization", slug: "example", joinAsAdmin: true },
  });
  const created = await admin.call("post", "/api/organizations/{organizationId}/events", {
    path: { organizationId: organization.id },
    body: { name: "Example Conference", slug: "example-conference", startDate: "2026-05-01" },
  });
  const { event: changed } = await admin.call("patch", "/api/events/slug/{slug}", {
    path: { slug: created.event.slug },
    headers: { "If-Match": created.event.updatedAt },
    body: { codeOfConduct: "Be kind." },
  });
  return changed;
}

async function report({ slug, id }: Event): Promise<Incident> {
  const joined = await reporter.call("post", "/api/events/slug/{slug}/join", { path: { slug } });
  assert.deepEqual(joined.roles, ["Reporter"]);
  const { incident: sent } = await reporter.call("post", "/api/events/{eventId}/incidents", {
    path: { eventId: id },
    headers: { "Idempotency-Key": crypto.randomUUID() },
    form: {
      title: "Shouting at the registration desk",
      description: "Somebody shouted at a volunteer.",
      severity: "medium",
      contactMethod: "in_person",
      relatedFiles: [new File(["First note"], "one.txt"), new File(["Second note"], "two.txt")],
    },
  });
  assert.equal(sent.state, "submitted");
  assert.deepEqual(
    sent.relatedFiles.map(({ filename }) => filename),
    ["one.txt", "two.txt"],
  );
  const listed = await admin.call("get", "/events/{eventId}/incidents", {
    path: { eventId: id },
    query: { status: ["submitted", "acknowledged"], files: true, limit: 5 },
  });
  assert.equal(listed.pagination.total, 1);
  return sent;
}

async function converse({ id: eventId }: Event, { id: incidentId }: Incident): Promise<void> {
  const path = { eventId, incidentId };
  const { comment } = await admin.call("post", "/api/events/{eventId}/incidents/{incidentId}/comments", {
    path,
    body: { body: "Thank you. We are on our way.", visibility: "public" },
  });
  assert.ok(comment.visibility === "public" && !comment.outcome);
  const { comments } = await reporter.call("get", "/api/events/{eventId}/incidents/{incidentId}/comments", {
    path,
  });
  assert.deepEqual(
    comments.map(({ id }) => id),
    [comment.id],
  );
}

async function resolve({ id: eventId }: Event, { id: incidentId }: Incident): Promise<void> {
  const path = { eventId, incidentId };
  const { incident: before } = await admin.call("get", "/api/events/{eventId}/incidents/{incidentId}", {
    path,
  });
  const steps: { state: IncidentState; notes?: string }[] = [
    { state: "acknowledged" },
    { state: "resolved", notes: "Talked to both." },
  ];
  let version = before.updatedAt;
  for (const step of steps) {
    const moved = await admin.call("patch", "/api/events/{eventId}/incidents/{incidentId}/state", {
      path,
      headers: { "If-Match": version },
      body: step,
    });
    assert.equal(moved.incident.state, step.state);
    version = moved.incident.updatedAt;
  }
  const { history } = await admin.call("get", "/api/events/{eventId}/incidents/{incidentId}/history", {
    path,
    query: { kind: "changes", order: "desc" },
  });
  assert.ok(history.some(({ action, to }) => action === "state" && to === "resolved"));
}

async function evaluate({ organizationId }: Event, { id }: Incident): Promise<void> {
  const path = { organizationId };
  const { metrics } = await admin.call("get", "/api/organizations/{organizationId}/reports/analytics", {
    path,
    query: { timeRange: "90d", severity: ["medium", "none"] },
  });
  assert.equal(metrics.totalReports, 1);
  const csv = await admin.call("get", "/api/organizations/{organizationId}/reports/export", {
    path,
    query: { format: "csv" },
  });
  assert.ok(csv.includes(id));
}

async function meetErrors({ id: eventId }: Event): Promise<void> {
  const incidentId = crypto.randomUUID();
  const request = reporter.call("get", "/api/events/{eventId}/incidents/{incidentId}", {
    path: { eventId, incidentId },
  });
  await assert.rejects(request, (error) => error instanceof ApiError && error.code === "NOT_FOUND");
  type Errors = components["responses"]["NotFound"]["content"]["application/json"];
  const code: Errors["code"] = "NOT_FOUND";
  assert.equal(code, "NOT_FOUND");
}
