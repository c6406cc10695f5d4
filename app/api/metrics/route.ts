import { createProbeHandlers } from "#lib/http/endpoint.ts";
import { scrapeMetrics } from "#lib/server/scrape.ts";

/** For Prometheus: outside of sessions, roles and rate limits, and off unless METRICS_TOKEN is set. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createProbeHandlers(async (request) => {
  const { text, type } = await scrapeMetrics(request.headers.get("authorization"));
  return new Response(text, { headers: { "Content-Type": type } });
});
