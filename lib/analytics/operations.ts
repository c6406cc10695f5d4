import { operation } from "#lib/operation/operation.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import { exportReports } from "./exports.ts";
import { insightsOf } from "./insights.ts";
import { analyticsOf, eventsSummary } from "./queries.ts";
import { Analytics, EventsSummary, ExportQuery, Insights, InsightsQuery, ReportFilter } from "./schema.ts";

/** What an organization learns about its reports: numbers and lists, no contents (contract 10.1). */

export const showAnalytics = operation({
  name: "showAnalytics",
  summary: "Numbers about an organization's reports, by time range, event, status and severity",
  on: organizationScope,
  can: "organization.analytics",
  input: ReportFilter,
  output: Analytics,
  limit: "search",
  run: ({ organizationId }, filter) => analyticsOf({ organizationId, filter, now: new Date() }),
});

export const showInsights = operation({
  name: "showInsights",
  summary:
    "What the numbers page shows beyond analytics: answer times, months in parts, kinds, the period before",
  on: organizationScope,
  can: "organization.analytics",
  input: InsightsQuery,
  output: Insights,
  limit: "search",
  run: ({ organizationId }, { compare, ...filter }) =>
    insightsOf({ organizationId, filter, now: new Date() }, compare),
});

export const showEventsSummary = operation({
  name: "showEventsSummary",
  summary: "An organization's events with their number of reports and the size of their teams",
  on: organizationScope,
  can: "organization.analytics",
  output: EventsSummary,
  run: ({ organizationId }) => eventsSummary(organizationId),
});

export const exportOrganizationReports = operation({
  name: "exportOrganizationReports",
  summary: "An organization's reports as CSV, as readable text, or (Accept: application/pdf) as a PDF",
  on: organizationScope,
  can: "organization.export",
  input: ExportQuery,
  output: null,
  produces: ["text/csv", "text/plain", "application/pdf"],
  limit: "search",
  run: ({ organizationId, actor, right, call }, query) =>
    exportReports(
      organizationId,
      { query, typeset: call.accepts("application/pdf"), signal: call.request?.signal },
      { actorId: actor.id, right, requestId: call.requestId },
    ),
});
