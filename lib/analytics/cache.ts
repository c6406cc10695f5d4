import { LRUCache } from "lru-cache";
import type { Severity, IncidentState } from "#lib/incidents/schema.ts";
import type { Histogram } from "./histogram.ts";

/** What takes time, from the report on. */
export type Measure = "answer" | "resolution";

/** What values are spread of: tenths of hours, and the month that a report was resolved in. */
export type MeasureHistograms = Record<Measure | "resolved", Histogram>;

/**
 * A report of the broken first day as tallies see it. `weight` is -1 where it takes back what a change not folded yet has
 * made of a report.
 */
export type PartialDayReport = {
  /** Milliseconds since 1970. */
  createdAt: number;
  eventId: string;
  state: IncidentState;
  severity: Severity | "none";
  escalated: boolean;
  unassigned: boolean;
  /** Tenths of hours; null of what hasn't come yet. */
  answer: number | null;
  resolution: number | null;
  resolutionMs: number | null;
  /** As `month_number` of the database. */
  resolved: number | null;
  weight: number;
};

/** What the tallies of a selection came to when they were last read, and the versions of the rows it was read from. */
export type CachedAggregates = {
  listsVersion: string;
  spreads: MeasureHistograms;
  singlesVersion: string;
  singles: PartialDayReport[];
};

/**
 * By selection. Nothing here is shown once it has changed: the database says with each call, and as of the same moment as
 * everything else, whether the rows are still of that version. No names, no words and no ids of reports; ten minutes after
 * it was read it is gone, also where its event or organization was deleted meanwhile.
 */
export const aggregateCache = new LRUCache<string, CachedAggregates>({
  // In numbers, each of some 10 bytes: 30 MB a process.
  maxSize: 3_000_000,
  sizeCalculation: ({ spreads, singles }) =>
    Object.values(spreads).reduce((size, { values }) => size + values.length, 250 + 20 * singles.length),
  // A database that was put back to an earlier state gives its transactions numbers that it had given before.
  ttl: 10 * 60 * 1000,
  ttlAutopurge: true,
});
