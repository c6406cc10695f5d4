import { z } from "zod";
import { booleanQuery, idInput, idOutput, timeOutput } from "#lib/operation/fields.ts";
import { SEVERITIES, SEVERITIES_AND_NONE, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { TIME_RANGES } from "./period.ts";

/** Shapes of analytics, the events summary and exports (contract 10). */

/** Which reports are counted. Every filter holds for every block (contract 10.1). */
export const ReportFilter = z.object({
  /** By the time a report was made. */
  timeRange: z.enum(TIME_RANGES).default("30d"),
  eventId: idInput.optional(),
  status: z.enum(INCIDENT_STATES).optional(),
  /** "none": those whose severity isn't set, as `bySeverity` calls them. */
  severity: z.enum(SEVERITIES_AND_NONE).optional(),
});
export type ReportFilter = z.output<typeof ReportFilter>;

const EXPORT_FORMATS = ["csv", "pdf"] as const;
export const ReportExportQuery = ReportFilter.extend({ format: z.enum(EXPORT_FORMATS) });
export type ReportExportQuery = z.output<typeof ReportExportQuery>;

/** Percent of all counted reports, one decimal. */
const percentage = z.number();
/** One decimal; null when there is nothing to take it from. */
const hours = z.number().nullable();
const state = z.enum(INCIDENT_STATES);

export const Analytics = z.object({
  metrics: z.object({
    totalReports: z.int(),
    /** Neither resolved nor closed. */
    pendingReports: z.int(),
    avgResolutionTime: hours,
    escalatedReports: z.int(),
    medianFirstResponse: hours,
    medianResolution: hours,
    /** Of the pending ones, those that nobody is assigned to. */
    unassignedReports: z.int(),
  }),
  byStatus: z.array(z.object({ status: state, count: z.int(), percentage })),
  bySeverity: z.array(z.object({ severity: z.enum(SEVERITIES_AND_NONE), count: z.int(), percentage })),
  byEvent: z.array(
    z.object({ eventId: idOutput, eventName: z.string(), eventSlug: z.string(), count: z.int() }),
  ),
  monthlyTrends: z.array(z.object({ month: z.string(), count: z.int(), resolved: z.int() })),
  recentReports: z.array(
    z.object({
      id: idOutput,
      title: z.string(),
      status: state,
      severity: z.enum(SEVERITIES).nullable(),
      eventId: idOutput,
      eventName: z.string(),
      createdAt: timeOutput,
    }),
  ),
});
/** As the queries give it, dates still dates. */
export type Analytics = z.input<typeof Analytics>;

/** The same reports as analytics counts; `compare` adds the period of the same length before. */
export const InsightsQuery = ReportFilter.extend({ compare: booleanQuery.default(false) });
export type InsightsQuery = z.output<typeof InsightsQuery>;

/** The numbers of one period: of the reports that were made in it. */
const PeriodFigures = z.object({
  reports: z.int(),
  /** Neither resolved nor closed. */
  open: z.int(),
  /** Without a first answer, which is when a report first leaves `submitted`; and since when the oldest waits. */
  waiting: z.int(),
  oldestWaiting: timeOutput.nullable(),
  answered: z.int(),
  medianFirstResponse: hours,
  /** Of those that were answered or whose deadline has passed, how many had their answer within the deadline. */
  answeredInTime: z.int(),
  answerDue: z.int(),
  /** With a message to the reporter from somebody else. */
  replied: z.int(),
  medianFirstReply: hours,
  /** Resolved or closed. */
  resolved: z.int(),
  medianResolution: hours,
});

const CountsByStatus = z.object({
  submitted: z.int(),
  acknowledged: z.int(),
  investigating: z.int(),
  resolved: z.int(),
  closed: z.int(),
});
const CountsBySeverity = z.object({
  low: z.int(),
  medium: z.int(),
  high: z.int(),
  critical: z.int(),
  none: z.int(),
});

/** Bounds of the times to a first answer, in hours; what took longer than the last comes after it. */
export const FIRST_RESPONSE_BOUNDS_HOURS = [1, 4, 12, 24, 72, 168] as const;
/** A kind in the reporter's own words that fewer reports have is not named: it could tell who it was. */
export const MIN_REPORTS_PER_NAMED_TYPE = 5;

export const Insights = z.object({
  /** Hours within which a first answer is due; null where events promise different ones, each counted by its own. */
  deadlineHours: z.int().nullable(),
  current: PeriodFigures,
  /** Null unless asked for, and for `all`, which has no period before it. */
  previous: PeriodFigures.nullable(),
  /** By the month a report was made, without gaps; the months of `monthlyTrends`. */
  months: z.array(z.object({ month: z.string(), byStatus: CountsByStatus, bySeverity: CountsBySeverity })),
  /** How long the first answer took: up to so many hours, and more than the last where null. */
  answerTimes: z.array(z.object({ upTo: z.number().nullable(), count: z.int() })),
  byChannel: z.object({ anonymous: z.int(), named: z.int() }),
  /** By the kind that the reporter gave, the most frequent first; null where none was given. */
  byType: z.array(z.object({ type: z.string().nullable(), count: z.int() })),
  /** Reports with a kind that too few others have. */
  otherTypes: z.int(),
});
/** As the queries give it, dates still dates. */
export type Insights = z.input<typeof Insights>;
export type PeriodFigures = z.input<typeof PeriodFigures>;

export const EventsSummary = z.object({
  totalEvents: z.int(),
  activeEvents: z.int(),
  events: z.array(
    z.object({
      id: idOutput,
      name: z.string(),
      slug: z.string(),
      isActive: z.boolean(),
      reportCount: z.int(),
      /** Neither resolved nor closed. */
      openCount: z.int(),
      /** In the state that a report begins in. */
      submittedCount: z.int(),
      /** People who are Responder or Admin of the event. */
      teamSize: z.int(),
    }),
  ),
});
export type EventsSummary = z.input<typeof EventsSummary>;
