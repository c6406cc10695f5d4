import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { csvLabelsQuery } from "#lib/i18n/labels-query.ts";
import {
  booleanQuery,
  dayInput,
  idInput,
  idOutput,
  singleLineInput,
  timeOutput,
} from "#lib/operation/fields.ts";
import {
  severitySchema,
  SEVERITIES_AND_NONE,
  INCIDENT_STATES,
  incidentStateSchema,
} from "#lib/incidents/schema.ts";
import { commaSeparatedQuery } from "#lib/incidents/list-schema.ts";
import { TIME_RANGE_NAMES } from "./period.ts";

/** Schemas of analytics, the events summary and exports (contract 10). */

/** The filter of counted reports. Every filter applies to every block (contract 10.1). */
export const ReportFilter = z.object({
  timeRange: z.enum(TIME_RANGE_NAMES).default("30d").meta({
    description:
      "Reports created in whole days (UTC) up to now: from the midnight that begins the day 30 or 90 days ago, or the same date of the previous year",
  }),
  /** Days (UTC), both inclusive; one of them is enough. They replace `timeRange`. */
  from: dayInput.optional(),
  to: dayInput.optional(),
  eventId: idInput.optional(),
  status: commaSeparatedQuery(INCIDENT_STATES).optional(),
  /** "none" matches reports without a severity, as in `bySeverity`. */
  severity: commaSeparatedQuery(SEVERITIES_AND_NONE).optional(),
});
export type ReportFilter = z.output<typeof ReportFilter>;

/** Extends a schema so that it refuses a last day before the first one. */
export const addDayOrderCheck = <Schema extends z.ZodType<Pick<ReportFilter, "from" | "to">>>(
  schema: Schema,
): Schema =>
  schema.refine(({ from, to }) => !from || !to || from <= to, {
    path: ["to"],
    message: encodeFieldProblem("mustNotPrecedeFrom"),
  });

const EXPORT_FORMATS = ["csv", "pdf"] as const;
export const ReportExportQuery = ReportFilter.extend({
  format: z.enum(EXPORT_FORMATS),
  labels: csvLabelsQuery,
});
export type ReportExportQuery = z.output<typeof ReportExportQuery>;

/** A percentage of all counted reports, with one decimal. */
const percentage = z.number();
/** With one decimal; null without any values. */
const hours = z.number().nullable();
const state = incidentStateSchema;

export const Analytics = z.object({
  metrics: z.object({
    totalReports: z.int(),
    /** Neither resolved nor closed. */
    pendingReports: z.int(),
    avgResolutionTime: hours,
    escalatedReports: z.int(),
    medianFirstResponse: hours,
    medianResolution: hours,
    /** The pending reports that nobody is assigned to. */
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
      severity: severitySchema.nullable(),
      eventId: idOutput,
      eventName: z.string(),
      createdAt: timeOutput,
    }),
  ),
});
/** As the queries return it, with Date objects. */
export type Analytics = z.input<typeof Analytics>;

/** The filters of analytics, for the insights about the same reports; `compare` adds the previous period. */
export const InsightsQuery = ReportFilter.extend({
  compare: booleanQuery.default(false).meta({
    description: "Also counts the previous period: the 30 or 90 days, or the year, before the time range",
  }),
});
export type InsightsQuery = z.output<typeof InsightsQuery>;

/** The figures of one period, for the reports created in it. */
export const PeriodFigures = z.object({
  reports: z.int(),
  /** Neither resolved nor closed. */
  open: z.int(),
  /**
   * Reports without a first response, which is when a report first leaves `submitted`; and the creation time of the
   * oldest.
   */
  waiting: z.int(),
  oldestWaiting: timeOutput.nullable(),
  answered: z.int(),
  medianFirstResponse: hours,
  /**
   * `answerDue`: reports that had their first response, or whose deadline has passed. `answeredInTime`: those of them
   * that had it in time, by the deadline that was promised when the report arrived.
   */
  answeredInTime: z.int(),
  answerDue: z.int(),
  /**
   * Reports with a message to the reporter from somebody else, without those whose conflict check the reader hasn't
   * answered.
   */
  replied: z.int(),
  medianFirstReply: hours,
  /** Resolved or closed. */
  resolved: z.int(),
  medianResolution: hours,
});

export const CountsByStatus = z.object({
  submitted: z.int(),
  acknowledged: z.int(),
  investigating: z.int(),
  resolved: z.int(),
  closed: z.int(),
});
export const CountsBySeverity = z.object({
  low: z.int(),
  medium: z.int(),
  high: z.int(),
  critical: z.int(),
  none: z.int(),
});

/** Upper bounds of the first-response buckets, in hours; a last bucket holds everything longer. */
export const FIRST_RESPONSE_BUCKET_BOUNDS_HOURS = [1, 4, 12, 24, 72, 168] as const;
/** A type in the reporter's own words with fewer reports isn't named: it could identify the reporter. */
export const MIN_REPORTS_PER_NAMED_FREE_TEXT_TYPE = 5;

export const ReportInsights = z.object({
  /**
   * The first-response deadline that the events promise now, in hours; null if they promise different ones.
   */
  deadlineHours: z.int().nullable(),
  current: PeriodFigures,
  /** Null unless requested, and for `all`, which has no previous period. */
  previous: PeriodFigures.nullable(),
  /**
   * The unit of the points: days for 30 and 90 days and up to 36 chosen days, otherwise months, and years above 36
   * months.
   */
  unit: z.enum(["day", "month", "year"]),
  /**
   * By the day ("2026-03-14"), month or year of creation, without gaps. `resolved` counts every report that was
   * resolved in the point, and `open` every report that was open at its end, whenever they were created. Months and
   * years of chosen days begin at the first report.
   */
  points: z.array(
    z.object({
      at: z.string(),
      byStatus: CountsByStatus,
      bySeverity: CountsBySeverity,
      resolved: z.int(),
      open: z.int(),
    }),
  ),
  /** Reports that were open when the period began; 0 for all time. */
  openBefore: z.int(),
  /** By the month of creation, without gaps; the same months as in `monthlyTrends`. */
  months: z.array(z.object({ month: z.string(), byStatus: CountsByStatus, bySeverity: CountsBySeverity })),
  /** The time to the first response: `upTo` hours, or null for the bucket beyond the last bound. */
  answerTimes: z.array(z.object({ upTo: z.number().nullable(), count: z.int() })),
  /** Without reports whose conflict check the reader hasn't answered. */
  byChannel: z.object({ anonymous: z.int(), named: z.int() }),
  /** By the type that the reporter gave, the most frequent first; null if none was given. */
  byType: z.array(z.object({ type: z.string().nullable(), count: z.int() })),
  /** Reports whose type is too rare to be named, and those whose conflict check the reader hasn't answered. */
  otherTypes: z.int(),
});
/** As the queries return it, with Date objects. */
export type ReportInsights = z.input<typeof ReportInsights>;
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
      /** In the initial status. */
      submittedCount: z.int(),
      /** People who can read reports: Responders and Admins whose role is accepted and not withheld. */
      teamSize: z.int(),
    }),
  ),
});
export type EventsSummary = z.input<typeof EventsSummary>;

export const MAX_CASE_FILE_REASON_LENGTH = 200;

/** What a case file can have besides the report (contract 10.4), and what it has unless somebody chooses. */
export const CASE_FILE_PARTS = {
  timeline: true,
  files: true,
  notes: false,
  messages: false,
  conversations: false,
} as const;
export type CaseFilePart = keyof typeof CASE_FILE_PARTS;
export const CASE_FILE_PART_NAMES = Object.keys(CASE_FILE_PARTS) as CaseFilePart[];

const part = (name: CaseFilePart) => z.boolean().default(CASE_FILE_PARTS[name]);

export const CaseFileInput = z.object({
  reason: singleLineInput(MAX_CASE_FILE_REASON_LENGTH).describe(
    "Why the file is needed; the team reads it in the incident's history.",
  ),
  timeline: part("timeline").describe("Changes of the incident and its files, with times and people."),
  files: part("files").describe("The names of the files and their SHA-256, without their content."),
  notes: part("notes").describe("Team notes, and the team's record of how it ended."),
  messages: part("messages").describe("The conversation with the reporter."),
  conversations: part("conversations").describe("The conversations with reported people and witnesses."),
  labels: csvLabelsQuery.describe(
    "The language of headings and labels; without it, the one that the person chose, else English.",
  ),
});
export type CaseFileInput = z.output<typeof CaseFileInput>;
