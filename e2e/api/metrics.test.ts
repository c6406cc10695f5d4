import fs from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { EventStream } from "#e2e/support/event-stream.ts";
import { startProductionService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { VERSION } from "#lib/version.ts";

/** What an operator sees of the service: probes, metrics, traces, and a line of the log for each request. */

type Span = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
};

const bodies: string[] = [];
const collector = http.createServer(async (request, response) => {
  if (request.url === "/v1/traces") bodies.push(await text(request));
  response.setHeader("content-type", "application/json").end("{}");
});
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
afterAll(() => collector.close());

const { port } = collector.address() as AddressInfo;
const TOKEN = "for-the-collector-only";
const heed = await startProductionService({
  METRICS_TOKEN: TOKEN,
  RATE_SEARCH_USER_PER_MINUTE: "2",
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_BSP_SCHEDULE_DELAY: "200",
});
const world = await TestWorld.build(heed);
const { event, maya, omar } = world;

const scrape = async (): Promise<string> => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { status, text } = await heed.visitor().get("/api/metrics", { headers });
  expect(status, text).toBe(200);
  return text;
};

/** The value of one line, its labels in the order in which they are written. */
const valueOf = (text: string, line: string): number | undefined => {
  const found = text.split("\n").find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

test("metrics are 401 without the token, or with another", async () => {
  expect((await heed.visitor().get("/api/metrics")).status).toBe(401);
  const headers = { authorization: "Bearer for-somebody-else" };
  expect((await heed.visitor().get("/api/metrics", { headers })).status).toBe(401);
});

test("requests are counted by method, pattern and class of status", async () => {
  const report = await world.report(maya, event);
  const paths = [
    `/api/events/${event.id}/incidents/${report.id}`,
    `/events/${event.id}/incidents/${report.id}`,
  ];
  for (const one of paths) expect((await world.as(omar).get(one)).status).toBe(200);
  await world.as(omar).get(`${paths[0]}0`);
  await world.as(omar).get("/api/nowhere/at/all");
  const pattern = "/api/events/[eventId]/incidents/[incidentId]";
  const requests = (method: string, route: string, status: string) =>
    `heed_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
  // A response is counted when it has ended, which its client may know a moment before.
  const text = await waitUntil("all were counted", async () => {
    const now = await scrape();
    const lines = [requests("GET", "unmatched", "4xx"), requests("GET", pattern, "4xx")];
    return lines.every((line) => valueOf(now, line) === 1) ? now : undefined;
  });
  expect(valueOf(text, requests("GET", pattern, "2xx"))).toBe(2);
  expect(valueOf(text, requests("GET", pattern, "4xx"))).toBe(1);
  expect(valueOf(text, `heed_http_request_seconds_count{method="GET",route="${pattern}"}`)).toBe(3);
});

test("refused sign-ins, limits, streams, jobs and connections are counted", async () => {
  const login = { email: maya.email, password: "not the password" };
  const before = await scrape();
  expect((await heed.visitor().post("/api/auth/login", login)).status).toBe(401);
  const analytics = `/api/organizations/${world.organization.id}/reports/analytics`;
  for (let count = 1; count <= 3; count += 1) await world.as(world.olga).get(analytics);
  const stream = await EventStream.open(world.as(omar));
  const forgotten = await heed.visitor().post("/api/auth/forgot-password", { email: maya.email });
  expect(forgotten.status, forgotten.text).toBe(200);
  await waitUntil("a job was done", async () =>
    /heed_jobs_total\{task="[^"]+",outcome="done"\} [1-9]/.test(await scrape()),
  );
  const text = await scrape();
  const more = (line: string) => (valueOf(text, line) ?? 0) - (valueOf(before, line) ?? 0);
  expect(more('heed_refused_sign_ins_total{reason="credentials"}')).toBe(1);
  expect(more('heed_rate_limited_total{limit="search"}')).toBeGreaterThanOrEqual(1);
  expect(valueOf(text, "heed_database_up")).toBe(1);
  expect(valueOf(text, "heed_workers")).toBeGreaterThan(0);
  expect(valueOf(text, "heed_schedule_timestamp_seconds")).toBeGreaterThan(0);
  expect(more("heed_live_streams")).toBe(1);
  stream.close();
  expect(valueOf(text, 'heed_database_connections{state="idle"}')).toBeGreaterThan(0);
  expect(valueOf(text, "heed_storage_free_bytes")).toBeGreaterThan(0);
  expect(valueOf(text, "heed_file_sweep_refused")).toBe(0);
  for (const name of ["damaged", "missing", "unreadable", "checked_timestamp_seconds", "check_late"])
    expect(valueOf(text, `heed_evidence_${name}`)).toBe(0);
  expect(valueOf(text, "heed_last_backup_timestamp_seconds")).toBe(0);
}, 150_000);

test("no id, address or name of anybody is in the metrics", async () => {
  const text = await scrape();
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|@example\.org|127\.0\.0\.1|::1/);
  for (const secretText of [maya.name, event.slug, event.name, world.organization.slug])
    expect(text).not.toContain(secretText);
});

test("each request leaves one line with its id, and nothing of who asked for what", async () => {
  const { incidents } = (await world.as(omar).get(`/api/events/${event.id}/incidents`)).body;
  const secret = `a-code-of-an-invite-${Date.now()}`;
  const headers = { cookie: world.as(omar).cookie ?? "" };
  const reply = await fetch(`${heed.url}/invite/${secret}?search=whispered`, { headers });
  await world.as(omar).get(`/api/events/${event.id}/incidents/${incidents[0].id}`);
  const id = String(reply.headers.get("x-request-id"));
  const lines = () =>
    heed.process
      .output()
      .split("\n")
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line));
  const line = await waitUntil("its line", () => lines().find(({ requestId }) => requestId === id));
  expect(line).toEqual({
    level: "info",
    time: expect.any(String),
    requestId: id,
    method: "GET",
    route: "/invite/[code]",
    status: reply.status,
    ms: expect.any(Number),
    msg: "request",
  });
  expect(lines().filter(({ requestId }) => requestId === id)).toHaveLength(1);
  const secretText = JSON.stringify(lines());
  for (const word of [
    secret,
    "whispered",
    maya.id,
    omar.id,
    omar.email,
    incidents[0].id,
    event.id,
    event.slug,
    "127.0.0.1",
  ])
    expect(secretText).not.toContain(word);
});

test("it is alive but not ready while a migration is missing or broken off", async () => {
  const ready = () => heed.visitor().get("/api/health/ready", { failing: true });
  expect((await ready()).body).toEqual({ status: "ok", database: "ok", migrations: "ok", storage: "ok" });
  const [last] = await heed.sql("select * from _prisma_migrations order by migration_name desc limit 1");
  await heed.sql("update _prisma_migrations set finished_at = null where id = $1", [last?.id]);
  const unfinished = await ready();
  expect([unfinished.status, unfinished.body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  expect(unfinished.headers["retry-after"]).toBe("2");
  expect((await heed.visitor().get("/api/health/live")).status).toBe(200);
  expect((await heed.visitor().get("/api/health")).body).toEqual({
    status: "ok",
    database: "ok",
    version: VERSION,
  });
  await heed.sql("update _prisma_migrations set finished_at = now() where id = $1", [last?.id]);
  expect((await ready()).status).toBe(200);
});

test("it is not ready beside a database that a newer version has migrated", async () => {
  await heed.sql(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values ('newer', 'x', '99991231235959_of_a_newer_version', now(), 1)`,
  );
  const { status, body } = await heed.visitor().get("/api/health/ready", { failing: true });
  await heed.sql("delete from _prisma_migrations where id = 'newer'");
  expect([status, body.error]).toEqual([503, "The database belongs to a newer version of the service."]);
});

test("it stays ready while files can't be stored, and says so", async () => {
  const folder = path.join(heed.process.dataDir, "files");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.writeFileSync(folder, "a file where the folder should be");
  const ready = () => heed.visitor().get("/api/health/ready", { failing: true });
  const full = await waitUntil("the storage was tried again", async () => {
    const reply = await ready();
    return reply.body.storage === "failed" ? reply : undefined;
  });
  expect(full.status).toBe(200);
  expect(full.body).toEqual({ status: "impaired", database: "ok", migrations: "ok", storage: "failed" });
  fs.rmSync(folder);
});

test("a balancer that sends HTTP/1.0 without a Host header is answered", async () => {
  const socket = net.connect(heed.port, "127.0.0.1");
  socket.write("GET /api/health/live HTTP/1.0\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

/** To a collector of our own. */
describe("traces", () => {
  const spansOf = (sent: string[]): Span[] =>
    sent.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
        scopeSpans.flatMap(({ spans }) => spans),
      ),
    );
  const spans = () => spansOf(bodies);
  const attribute = (span: Span, key: string): unknown => {
    const value = span.attributes.find((one) => one.key === key)?.value;
    return value?.stringValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
  };
  const spanOf = (requestId: unknown) =>
    waitUntil("its span", () => spans().find((span) => attribute(span, "heed.request_id") === requestId));

  test("a request is one span, with its statements and what Next does below it", async () => {
    // Through Next: a body that nothing reads keeps a request there (docs/architecture.md).
    const path = `/api/events/${event.id}/incidents?search=whispered`;
    const reply = await world.as(omar).get(path, { raw: "{}" });
    const span = await spanOf(reply.headers["x-request-id"]);
    expect(span.name).toBe("GET /api/events/[eventId]/incidents");
    expect(attribute(span, "http.response.status_code")).toBe(200);
    await waitUntil("what is below it", () => {
      const same = spans().filter(
        ({ traceId, spanId }) => traceId === span.traceId && spanId !== span.spanId,
      );
      const has = (start: string) => same.some(({ name }) => name.startsWith(start));
      return has("select ") && has("AppRouteRouteHandlers.runHandler");
    });
  });

  test("jobs have spans, too", async () => {
    await world.report(maya, event);
    await waitUntil("a job", () => spans().some(({ name }) => /^job [a-zA-Z.]+$/.test(name)));
  });

  test("an idle service sends no spans for probes and polls", async () => {
    await waitUntil(
      "the end of what came before",
      async () => {
        const seen = bodies.length;
        await sleep(1500);
        const left = await heed.sql(
          `select 1 from outbox_events union all select 1 from notifications where mail_due is not null
           union all select 1 from graphile_worker.jobs where task_identifier like 'mail.%'`,
        );
        return left.length === 0 && seen > 0 && bodies.length === seen;
      },
      120_000,
    );
    const before = bodies.length;
    // More than two looks at the outbox and at the queue.
    for (let count = 0; count < 6; count += 1) {
      for (const probe of ["/api/health", "/api/health/live", "/api/health/ready"])
        await fetch(heed.url + probe);
      await sleep(500);
    }
    // A job may be due in between; looking for one isn't part of it.
    const jobs = new Set(spans().flatMap(({ name, traceId }) => (name.startsWith("job ") ? traceId : [])));
    const others = spansOf(bodies.slice(before)).filter(({ traceId }) => !jobs.has(traceId));
    expect(others).toEqual([]);
  });

  test("no span identifies a person or content", async () => {
    const report = await world.report(maya, event, { title: "Whispered behind the stage curtain" });
    const invite = `a-code-of-an-invite-${Date.now()}`;
    const paths = [
      `/invite/${invite}?next=whispered`,
      `/api/events/${event.id}/incidents/${report.id}?search=whispered`,
      `/e/${event.slug}/i/${report.id}`,
      `/api/auth/check-email?email=${encodeURIComponent(maya.email)}`,
      `/api/nowhere/${maya.id}`,
    ];
    const headers = { cookie: world.as(omar).cookie ?? "" };
    for (const path of paths)
      await spanOf((await fetch(heed.url + path, { headers })).headers.get("x-request-id"));
    const traceText = bodies.join("\n");
    const secrets = [invite, "whispered", "Whispered", maya.email, maya.name, encodeURIComponent(maya.email)];
    for (const secret of [...secrets, maya.id, omar.id, report.id, event.id, event.slug, "127.0.0.1"])
      expect(traceText).not.toContain(secret);
  });
});
