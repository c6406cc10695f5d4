import { buildReportSelection } from "./counted-reports-sql.ts";
import { MatchingIncidentsExportQuery, SelectedIncidentsQuery } from "#lib/incidents/inbox-schema.ts";
import { defineOperation, globalScope } from "#lib/operation/operation.ts";
import { incidentWithoutContentScope } from "#lib/incidents/scope.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import { exportIncidentsByFilters, exportIncidentsByIds } from "./chosen-exports.ts";
import { createCaseFileResponse } from "./case-file.ts";
import { createReportExportResponse } from "./exports.ts";
import { loadInsights } from "./insights.ts";
import { loadAnalytics, listEventsWithReportCounts } from "./queries.ts";
import {
  Analytics,
  CaseFileInput,
  EventsSummary,
  ReportExportQuery,
  ReportInsights,
  InsightsQuery,
  ReportFilter,
  addDayOrderCheck,
} from "./schema.ts";

/** An organization's statistics of its reports: numbers and lists without contents (contract 10.1). */

export const showAnalytics = defineOperation({
  name: "showAnalytics",
  summary: "Show analytics of an organization's reports, by time range, event, status and severity",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.analytics",
  input: addDayOrderCheck(ReportFilter),
  output: Analytics,
  limit: "search",
  run: ({ organizationId, actor }, filter) =>
    loadAnalytics(buildReportSelection(organizationId, filter, actor)),
});

export const showInsights = defineOperation({
  name: "showInsights",
  summary:
    "Show insights beyond analytics: response times, months by status and severity, types, and the previous period",
  on: organizationScope,
  can: "organization.analytics",
  input: addDayOrderCheck(InsightsQuery),
  output: ReportInsights,
  limit: "search",
  run: ({ organizationId, actor }, { compare, ...filter }) =>
    loadInsights(buildReportSelection(organizationId, filter, actor), compare),
});

export const showEventsSummary = defineOperation({
  name: "showEventsSummary",
  summary: "List an organization's events with their report counts and team sizes",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.analytics",
  output: EventsSummary,
  run: ({ organizationId, actor }) => listEventsWithReportCounts(organizationId, actor),
});

export const exportOrganizationReports = defineOperation({
  name: "exportOrganizationReports",
  summary: "Export an organization's reports as CSV, as readable text, or (Accept: application/pdf) as a PDF",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.export",
  input: addDayOrderCheck(ReportExportQuery),
  output: null,
  produces: ["text/csv", "text/plain", "application/pdf"],
  limit: "search",
  run: ({ organizationId, actor, right, call }, query) =>
    createReportExportResponse(
      organizationId,
      { query, typeset: call.accepts("application/pdf"), signal: call.request?.signal, reader: actor },
      { actor, right, call },
    ),
});

export const exportChosenIncidents = defineOperation({
  name: "exportChosenIncidents",
  summary: "Export selected incidents of events whose team you are on, as CSV",
  on: globalScope,
  can: "incident.exportChosen",
  input: SelectedIncidentsQuery,
  output: null,
  produces: ["text/csv"],
  limit: "search",
  errors: ["NOT_FOUND"],
  incidentsByRole: ({ ids }) => ({ ids, team: true }),
  run: ({ actor, call }, { ids, labels }) =>
    exportIncidentsByIds({ actor, requestId: call.requestId, labels }, ids),
});

export const exportMatchingIncidents = defineOperation({
  name: "exportMatchingIncidents",
  summary: "Export all matching incidents in the events whose team you are on, as CSV",
  on: globalScope,
  can: "incident.exportChosen",
  input: MatchingIncidentsExportQuery,
  output: null,
  produces: ["text/csv"],
  limit: "search",
  incidentsByRole: ({ event }) => ({ events: event, team: true }),
  run: ({ actor, call }, { labels, ...query }) =>
    exportIncidentsByFilters({ actor, requestId: call.requestId, labels }, query),
});

export const downloadCaseFile = defineOperation({
  name: "downloadCaseFile",
  summary: "Download an incident as one PDF, with chosen parts, giving a reason that the team reads",
  on: incidentWithoutContentScope,
  can: "incident.downloadCase",
  input: CaseFileInput,
  output: null,
  produces: ["application/pdf"],
  limit: "search",
  errors: ["NOT_FOUND", "SERVICE_UNAVAILABLE"],
  run: (context, input) => createCaseFileResponse(context, input),
});
