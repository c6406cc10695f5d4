import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { log } from "#lib/observability/log.ts";
import { registerMetricsHandlers } from "#lib/observability/gather.ts";
import { metrics } from "#lib/observability/metrics.ts";
import { withRootSpan, withoutSpans, type Span } from "#lib/observability/spans.ts";
import { createRouteMatcher, type Route } from "./route-matcher.ts";

/** Serves a request, and sees it to its end. */
export type RequestLogger = (request: IncomingMessage, response: ServerResponse, serve: ServeRequest) => void;
/** `route`: where the address leads, if it is known by then, and leads anywhere. */
type ServeRequest = (route?: Route) => void;

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Asked for every few seconds, by programs. */
const PROBE_ROUTES = new Set(["/api/health", "/api/health/live", "/api/health/ready", "/api/metrics"]);

/**
 * One line of the log, one count and, where traces are on, one span a request: its id, the pattern of its route, status
 * and time. Nothing of it says who asked, or for what.
 */
export function createRequestLogger(root: string): RequestLogger {
  const matchRoute = createRouteMatcher(root);
  registerMetricsHandlers();
  return (request, response, serve) => {
    if (request.url?.startsWith("/_next/static/")) return serve();
    const method = METHODS.has(request.method ?? "") ? (request.method as string) : "other";
    const matchedRoute = matchRoute(request.url ?? "");
    // Never the address itself.
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
    // Probes come every few seconds: a service that is idle but for them sends nothing.
    void (PROBE_ROUTES.has(route)
      ? withoutSpans(serveAndLog)
      : withRootSpan(`${method} ${route}`, serveAndLog));
  };
}

type RequestRecord = { requestId: string; method: string; route: string; status: number; ms: number };

function logRequest({ ms, ...record }: RequestRecord): void {
  const level = PROBE_ROUTES.has(record.route) ? "debug" : "info";
  log[level]({ ...record, ms: Math.round(ms * 10) / 10 }, "request");
  const { method, route, status } = record;
  metrics()?.requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
  metrics()?.requestSeconds.observe({ method, route }, ms / 1000);
}

/** 499, as proxies have it, for who left before the answer began. */
const findResponseStatus = (response: ServerResponse): number =>
  response.headersSent ? response.statusCode : 499;
