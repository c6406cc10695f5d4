import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { log } from "#lib/observability/log.ts";
import { takePartInMetrics } from "#lib/observability/gather.ts";
import { metrics } from "#lib/observability/metrics.ts";
import { inRootSpan, withoutSpans, type Span } from "#lib/observability/spans.ts";
import { routeFinder, type Route } from "./route-matcher.ts";

/** Serves a request, and sees it to its end. */
export type Watch = (request: IncomingMessage, response: ServerResponse, serve: Serve) => void;
/** `route`: where the address leads, if it is known by then, and leads anywhere. */
type Serve = (route?: Route) => void;

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Asked for every few seconds, by programs. */
const PROBES = new Set(["/api/health", "/api/health/live", "/api/health/ready", "/api/metrics"]);

/**
 * One line of the log, one count and, where traces are on, one span a request: its id, the pattern of its route, status
 * and time. Nothing of it says who asked, or for what.
 */
export function watchRequests(root: string): Watch {
  const routeOf = routeFinder(root);
  takePartInMetrics();
  return (request, response, serve) => {
    if (request.url?.startsWith("/_next/static/")) return serve();
    const method = METHODS.has(request.method ?? "") ? (request.method as string) : "other";
    const found = routeOf(request.url ?? "");
    // Never the address itself.
    const route = found?.pattern ?? "unmatched";
    const began = performance.now();
    const ended = new Promise<number>((resolve) => response.once("close", () => resolve(statusOf(response))));
    const see = async (span?: Span) => {
      serve(found);
      const status = await ended;
      const requestId = request.headers["x-request-id"];
      span?.set({ "http.request.method": method, "http.route": route, "http.response.status_code": status });
      span?.set({ "heed.request_id": String(requestId) });
      note({ requestId: String(requestId), method, route, status, ms: performance.now() - began });
    };
    // Probes come every few seconds: a service that is idle but for them sends nothing.
    void (PROBES.has(route) ? withoutSpans(see) : inRootSpan(`${method} ${route}`, see));
  };
}

type Served = { requestId: string; method: string; route: string; status: number; ms: number };

function note({ ms, ...served }: Served): void {
  const level = PROBES.has(served.route) ? "debug" : "info";
  log[level]({ ...served, ms: Math.round(ms * 10) / 10 }, "request");
  const { method, route, status } = served;
  metrics()?.requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
  metrics()?.requestSeconds.observe({ method, route }, ms / 1000);
}

/** 499, as proxies have it, for who left before the answer began. */
const statusOf = (response: ServerResponse): number => (response.headersSent ? response.statusCode : 499);
