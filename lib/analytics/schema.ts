import { z } from "zod";
import { id, idOut, time } from "#lib/api/text.ts";
import { SEVERITIES, STATES } from "#lib/incidents/schema.ts";
import { TIME_RANGES } from "./period.ts";

/** Shapes of analytics, the events summary and exports (interface 4.2, rulings R6). */

/** Which reports are counted. Every filter holds for every block (rulings R6). */
export const ReportFilter = z.object({
  /** By the time a report was made. */
  timeRange: z.enum(TIME_RANGES).default("30d"),
  eventId: id.optional(),
  status: z.enum(STATES).optional(),
  severity: z.enum(SEVERITIES).optional(),
});
export type ReportFilter = z.output<typeof ReportFilter>;

export const EXPORT_FORMATS = ["csv", "pdf"] as const;
export const ExportQuery = ReportFilter.extend({ format: z.enum(EXPORT_FORMATS) });
export type ExportQuery = z.output<typeof ExportQuery>;

/** Percent of all counted reports, one decimal. */
const percentage = z.number();
/** One decimal; null when there is nothing to take it from. */
const hours = z.number().nullable();
const state = z.enum(STATES);

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
  bySeverity: z.array(z.object({ severity: z.enum([...SEVERITIES, "none"]), count: z.int(), percentage })),
  byEvent: z.array(
    z.object({ eventId: idOut, eventName: z.string(), eventSlug: z.string(), count: z.int() }),
  ),
  monthlyTrends: z.array(z.object({ month: z.string(), count: z.int(), resolved: z.int() })),
  recentReports: z.array(
    z.object({
      id: idOut,
      title: z.string(),
      status: state,
      severity: z.enum(SEVERITIES).nullable(),
      eventId: idOut,
      eventName: z.string(),
      createdAt: time,
    }),
  ),
});
/** As the queries give it, dates still dates. */
export type Analytics = z.input<typeof Analytics>;

export const EventsSummary = z.object({
  totalEvents: z.int(),
  activeEvents: z.int(),
  events: z.array(
    z.object({
      id: idOut,
      name: z.string(),
      slug: z.string(),
      isActive: z.boolean(),
      reportCount: z.int(),
      /** People who are Responder or Admin of the event. */
      teamSize: z.int(),
    }),
  ),
});
export type EventsSummary = z.input<typeof EventsSummary>;
