import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { env } from "#lib/env.ts";
import { processWide } from "#lib/process-wide.ts";
import { getDatabasePoolUsage } from "./pool-use.ts";

/**
 * Prometheus metrics. Labels hold route patterns, codes and names of our own, all from fixed sets: never an id, an
 * address or anything that somebody sent.
 */

export type Metrics = ReturnType<typeof createMetrics>;

/** Returns the metrics of this process; undefined where metrics are off, so that nothing is counted. */
export function findProcessMetrics(): Metrics | undefined {
  if (!env().METRICS_TOKEN) return undefined;
  return processWide("metrics", createMetrics);
}

function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "heed_" });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  registerPoolGauges(registry);
  return {
    registry,
    requests: counter("heed_http_requests_total", "Requests that were answered.", [
      "method",
      "route",
      "status",
    ]),
    requestSeconds: new Histogram({
      name: "heed_http_request_seconds",
      help: "Time from a request's head to the end of its response.",
      labelNames: ["method", "route"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
    refusedSignIns: counter("heed_refused_sign_ins_total", "Sign-ins that were refused.", ["reason"]),
    rateLimited: counter("heed_rate_limited_total", "Calls over a limit.", ["limit"]),
    jobs: counter("heed_jobs_total", "Jobs that ended, by what came of it.", ["task", "outcome"]),
    streams: new Gauge({ name: "heed_live_streams", help: "Open live streams.", registers: [registry] }),
  };
}

function registerPoolGauges(registry: Registry): void {
  new Gauge({
    name: "heed_database_connections",
    help: "Connections of the pools.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const { total, idle } = getDatabasePoolUsage();
      this.set({ state: "idle" }, idle);
      this.set({ state: "used" }, total - idle);
    },
  });
  new Gauge({
    name: "heed_database_waiting",
    help: "Requests that wait for a connection.",
    registers: [registry],
    collect() {
      this.set(getDatabasePoolUsage().waiting);
    },
  });
}
