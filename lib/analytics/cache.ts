import { LRUCache } from "lru-cache";
import type { Severity, IncidentState } from "#lib/incidents/schema.ts";
import type { Histogram } from "./histogram.ts";

/** Durations that are measured from the creation of the report. */
export type Measure = "answer" | "resolution";

/** Histograms of tenths of hours, and of the month in which a report was resolved. */
export type MeasureHistograms = Record<Measure | "resolved", Histogram>;

/**
 * A report of the partial first day, as aggregates see it. `weight` is -1 for an entry that cancels a change that isn't
 * rolled up yet.
 */
export type PartialDayReport = {
  /** Milliseconds since 1970. */
  createdAt: number;
  eventId: string;
  state: IncidentState;
  severity: Severity | "none";
  escalated: boolean;
  unassigned: boolean;
  /** Tenths of hours; null if it hasn't happened yet. */
  answer: number | null;
  resolution: number | null;
  resolutionMs: number | null;
  /** The month as the database's `month_number` counts it. */
  resolved: number | null;
  weight: number;
};

/** The aggregates of a selection when they were last read, and the versions of the rows they came from. */
export type CachedAggregates = {
  listsVersion: string;
  spreads: MeasureHistograms;
  singlesVersion: string;
  singles: PartialDayReport[];
};

/**
 * Cached aggregates by selection. Stale values are never shown: each query also returns, from the same point in time,
 * whether the rows still have this version. Holds no names, texts or ids of reports. Entries expire ten minutes after
 * they were read, even if their event or organization has been deleted.
 */
export const aggregateCache = new LRUCache<string, CachedAggregates>({
  // Counted in numbers of about 10 bytes each: 30 MB per process.
  maxSize: 3_000_000,
  sizeCalculation: ({ spreads, singles }) =>
    Object.values(spreads).reduce((size, { values }) => size + values.length, 250 + 20 * singles.length),
  // A database restored to an earlier state reuses transaction ids, so a version alone could match by accident.
  ttl: 10 * 60 * 1000,
  ttlAutopurge: true,
});
