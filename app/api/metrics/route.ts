import { createNonOperationRouteHandlers } from "#lib/http/endpoint.ts";
import { renderMetricsForScrape } from "#lib/server/scrape.ts";

/**
 * Metrics for Prometheus: without sessions, roles and rate limits, and disabled unless METRICS_TOKEN is set.
 */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createNonOperationRouteHandlers(async (request) => {
  const { text, type } = await renderMetricsForScrape(request.headers.get("authorization"));
  return new Response(text, { headers: { "Content-Type": type } });
});
