import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { startService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** Traces, sent to a collector of our own. */

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
const heed = await startService({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_BSP_SCHEDULE_DELAY: "200",
});
const world = await TestWorld.build(heed);
const { event, maya, omar } = world;

test("metrics are 404 without METRICS_TOKEN", async () => {
  expect((await heed.visitor().get("/api/metrics")).status).toBe(404);
});

const spans = (): Span[] =>
  bodies.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
const attribute = (span: Span, key: string): unknown => {
  const value = span.attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
};
const spanOf = (requestId: unknown) =>
  waitUntil("its span", () => spans().find((span) => attribute(span, "heed.request_id") === requestId));

test("a request is one span, with its statements and what Next does below it", async () => {
  const reply = await world.as(omar).get(`/api/events/${event.id}/incidents?search=whispered`);
  const span = await spanOf(reply.headers["x-request-id"]);
  expect(span.name).toBe("GET /api/events/[eventId]/incidents");
  expect(attribute(span, "http.response.status_code")).toBe(200);
  await waitUntil("what is below it", () => {
    const same = spans().filter(({ traceId, spanId }) => traceId === span.traceId && spanId !== span.spanId);
    const has = (start: string) => same.some(({ name }) => name.startsWith(start));
    return has("select ") && has("AppRouteRouteHandlers.runHandler");
  });
});

test("jobs have spans, too", async () => {
  await world.report(maya, event);
  await waitUntil("a job", () => spans().some(({ name }) => /^job [a-zA-Z.]+$/.test(name)));
});

test("an idle service sends no spans for probes", async () => {
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
  expect(bodies.slice(before)).toEqual([]);
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
