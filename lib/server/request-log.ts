import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { log } from "#lib/observability/log.ts";
import { registerClusterMetricsHandlers } from "#lib/observability/cluster-metrics.ts";
import { findProcessMetrics } from "#lib/observability/metrics.ts";
import { withRootOrChildSpan, runWithoutTracingSpans, type Span } from "#lib/observability/spans.ts";
import { createRouteMatcher, type MatchedRoute } from "./route-matcher.ts";

/** A function that serves a request and records how it ended. */
export type LoggingRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  serve: ServeRequest,
) => void;
/** `route`: the matching route, if there is one and it is already known. */
type ServeRequest = (route?: MatchedRoute) => void;

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Monitoring requests these every few seconds. */
const PROBE_ROUTES = new Set(["/api/health", "/api/health/live", "/api/health/ready", "/api/metrics"]);
/** Pages and endpoints that identify nobody. */
const UNIDENTIFIED_ROUTE = /^\/(api\/)?mailbox(\/|$)|^\/e\/\[slug\]\/report(\/|$)|\/anonymous-reports$/;
/** Where a report is sent with an account, with or without the reporter's name. */
const REPORTED_ROUTE = /^\/(api\/)?events\/(slug\/)?\[\w+\]\/(incidents|reports)$/;

/**
 * Whether a line, a span or a counter that grows would say when somebody came back to a mailbox, or sent a report
 * without their name (docs/threat-model.md).
 */
const isUnidentified = (method: string, route: string): boolean =>
  UNIDENTIFIED_ROUTE.test(route) || (method === "POST" && REPORTED_ROUTE.test(route));

/**
 * Creates a handler that serves each request, writes one log line, counts it and, where traces are on, records one
 * span: its id, route pattern, status and duration. Nothing in them identifies the person or the content. Of a request
 * that may be without a name only failures of the service are logged and counted, without their id.
 */
export function createLoggingRequestHandler(root: string): LoggingRequestHandler {
  const matchRoute = createRouteMatcher(root);
  registerClusterMetricsHandlers();
  return (request, response, serve) => {
    if (request.url?.startsWith("/_next/static/")) return serve();
    const method = METHODS.has(request.method ?? "") ? (request.method as string) : "other";
    const matchedRoute = matchRoute(request.url ?? "");
    // The route pattern, never the URL itself.
    const route = matchedRoute?.pattern ?? "unmatched";
    const startedAt = performance.now();
    const closedStatus = new Promise<number>((resolve) =>
      response.once("close", () => resolve(findResponseStatus(response))),
    );
    const serveAndLog = async (span?: Span) => {
      serve(matchedRoute);
      const status = await closedStatus;
      const requestId = request.headers["x-request-id"];
      span?.set({ "http.request.method": method, "http.route": route, "http.response.status_code": status });
      span?.set({ "heed.request_id": String(requestId) });
      logRequest({ requestId: String(requestId), method, route, status, ms: performance.now() - startedAt });
    };
    // Probes arrive every few seconds; without spans for them, an otherwise idle service sends no traces.
    void (PROBE_ROUTES.has(route) || isUnidentified(method, route)
      ? runWithoutTracingSpans(serveAndLog)
      : withRootOrChildSpan(`${method} ${route}`, serveAndLog));
  };
}

type LoggedRequest = { requestId: string; method: string; route: string; status: number; ms: number };

function logRequest({ ms, requestId, ...record }: LoggedRequest): void {
  const { method, route, status } = record;
  const unidentified = isUnidentified(method, route);
  if (unidentified && status < 500) return;
  const level = PROBE_ROUTES.has(route) ? "debug" : "info";
  log[level]({ ...(!unidentified && { requestId }), ...record, ms: Math.round(ms * 10) / 10 }, "request");
  findProcessMetrics()?.requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
  findProcessMetrics()?.requestSeconds.observe({ method, route }, ms / 1000);
}

/** 499, as proxies use it, when the client disconnected before the response began. */
const findResponseStatus = (response: ServerResponse): number =>
  response.headersSent ? response.statusCode : 499;
