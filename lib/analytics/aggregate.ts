import { db } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Severity, State } from "#lib/incidents/schema.ts";
import { known, type Known, type Measure, type Single, type Spreads } from "./cache.ts";
import { middleOf, spreadOf, type Entries, type Spread } from "./histogram.ts";
import { monthName, monthOf, piecesOf, startOf, type MonthCount } from "./period.ts";
import type { Analytics } from "./schema.ts";
import type { Selection } from "./filter-sql.ts";
import { inEachEvent, tallyingSql } from "./rollup-sql.ts";

const TENTH_SECONDS = 360;

/** One state and severity of the selection; `resolutionMs` of all that were resolved, together. */
type Cell = {
  state: State;
  severity: Severity | "none";
  reports: number;
  escalated: number;
  unassigned: number;
  resolved: number;
  resolutionMs: number;
};

export type Tallied = {
  cells: Cell[];
  /** Seconds; null where there is nothing to take them from. Medians hold to the tenth of an hour. */
  medianResolution: number | null;
  medianFirstResponse: number | null;
  events: Analytics["byEvent"];
  months: MonthCount[];
  recent: (Omit<Analytics["recentReports"][number], "createdAt"> & { createdAt: string })[];
};

/** Values and counts as the database writes arrays: `{1,2}`. */
type Listed = { measure: keyof Spreads; values: string; counts: string };

/** `Single`s as the database sends them: each column as a list. */
type Columns = { [name in keyof Single]: Single[name][] };

type Counted = Pick<Tallied, "cells" | "recent"> & {
  months: { month: string; reports: number }[];
  /** By name. */
  events: Tallied["events"];
  /** Of whole days and months: another one as soon as one of their lists is. Lists are null where it is the known one. */
  listsVersion: string;
  lists: Listed[] | null;
  /** Of the broken first day, in the same way. */
  singlesVersion: string;
  singles: Columns | null;
  /** Of what changed and isn't folded yet. */
  changes: Listed[];
};

/**
 * What analytics shows, in one statement and so at one moment, from tallies by day and month (docs/decisions/022): the
 * cost depends on the events and on the time range, not on the number of reports. A median between two tenths of an hour
 * takes one more.
 */
export async function tally(selection: Selection): Promise<Tallied> {
  const { organizationId, filter } = selection;
  const key = JSON.stringify([organizationId, filter, piecesOf(filter.timeRange, selection.now)]);
  const before = known.get(key);
  const [row] = await db.$queryRaw<Counted[]>(tallyingSql(selection, before));
  const counted = row as Counted;
  const now = keep(key, counted, before);
  const since = startOf(filter.timeRange, selection.now)?.getTime() ?? 0;
  const singles = now.singles.filter(({ createdAt }) => createdAt >= since);
  const spreads = spreadsOf(counted.changes, singles, now.spreads);
  return {
    cells: withSingles(counted.cells, singles),
    events: eventsFrom(counted.events, singles),
    recent: counted.recent,
    medianResolution: await medianOf(selection, "resolution", spreads.resolution),
    medianFirstResponse: await medianOf(selection, "answer", spreads.answer),
    months: monthsFrom(counted.months, singles, spreads.resolved),
  };
}

/** What the database sent anew, or else what was known before. */
function keep(key: string, counted: Counted, before: Known | undefined): Known {
  const { lists, listsVersion, singles, singlesVersion } = counted;
  const now = {
    listsVersion,
    spreads: lists || !before ? spreadsOf(lists ?? []) : before.spreads,
    singlesVersion,
    singles: singles ? singlesOf(singles) : (before?.singles ?? []),
  };
  if (lists || singles) known.set(key, now);
  return now;
}

const singlesOf = (columns: Columns): Single[] =>
  columns.createdAt.map(
    (_, at) =>
      Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[at]])) as Single,
  );

/** What lists and single reports come to, together with `folded`. */
function spreadsOf(lists: readonly Listed[], singles: readonly Single[] = [], folded?: Spreads): Spreads {
  const spread = (measure: keyof Spreads) => {
    const parts: Entries[] = lists
      .filter((one) => one.measure === measure)
      .map(({ values, counts }) => ({ values: numbers(values), counts: numbers(counts) }));
    const over = singles.filter((single) => single[measure] !== null);
    parts.push({
      values: over.map((single) => single[measure] as number),
      counts: over.map(({ weight }) => weight),
    });
    return spreadOf(folded ? [folded[measure], ...parts] : parts);
  };
  return { answer: spread("answer"), resolution: spread("resolution"), resolved: spread("resolved") };
}

const numbers = (array: string): number[] => JSON.parse(`[${array.slice(1, -1)}]`);

const ENDS: Record<Measure, Prisma.Sql> = {
  answer: Prisma.sql`i.first_response_at`,
  resolution: Prisma.sql`i.resolved_at`,
};

/**
 * Tallies know times to the tenth of an hour, as they are shown. Only where the two in the middle lie in different tenths
 * are they looked up: the last of the lower tenth, and the first of the upper one.
 */
async function medianOf(selection: Selection, measure: Measure, tenths: Spread): Promise<number | null> {
  const middle = middleOf(tenths);
  if (!middle) return null;
  const { lower, upper } = middle;
  if (lower === upper) return lower * TENTH_SECONDS;
  const took = Prisma.sql`extract(epoch from ${ENDS[measure]} - i.created_at)`;
  const inTenth = (tenth: number) =>
    inEachEvent(
      selection,
      Prisma.sql`${ENDS[measure]} is not null and tenths_of_hours(i.created_at, ${ENDS[measure]}) = ${tenth}::int`,
    );
  const [found] = await db.$queryRaw<{ median: number | null }[]>`
    select (((select max(${took}) ${inTenth(lower)}) + (select min(${took}) ${inTenth(upper)})) / 2)::float8 as median`;
  // Whatever was in one of them may have moved since the tallies were read.
  return found?.median ?? ((lower + upper) / 2) * TENTH_SECONDS;
}

function withSingles(counted: readonly Cell[], singles: readonly Single[]): Cell[] {
  const cells = new Map(counted.map((cell) => [`${cell.state} ${cell.severity}`, { ...cell }]));
  for (const { state, severity, weight, ...single } of singles) {
    const nothing = { reports: 0, escalated: 0, unassigned: 0, resolved: 0, resolutionMs: 0 };
    const cell = cells.get(`${state} ${severity}`) ?? { state, severity, ...nothing };
    cells.set(`${state} ${severity}`, cell);
    cell.reports += weight;
    if (single.escalated) cell.escalated += weight;
    if (single.unassigned) cell.unassigned += weight;
    if (single.resolutionMs === null) continue;
    cell.resolved += weight;
    cell.resolutionMs += weight * single.resolutionMs;
  }
  return [...cells.values()];
}

/** Those with the most reports first, and by name where they have as many. */
function eventsFrom(byName: Counted["events"], singles: readonly Single[]): Tallied["events"] {
  const more = new Map<string, number>();
  for (const { eventId, weight } of singles) more.set(eventId, (more.get(eventId) ?? 0) + weight);
  return byName
    .map((event) => ({ ...event, count: event.count + (more.get(event.eventId) ?? 0) }))
    .sort((a, b) => b.count - a.count);
}

function monthsFrom(made: Counted["months"], singles: readonly Single[], resolved: Spread): MonthCount[] {
  const months = new Map<string, MonthCount>();
  const of = (month: string) => {
    const found = months.get(month) ?? { month, count: 0, resolved: 0 };
    months.set(month, found);
    return found;
  };
  for (const { month, reports } of made) of(month).count += reports;
  for (const { createdAt, weight } of singles) of(monthOf(new Date(createdAt))).count += weight;
  for (const [at, number] of resolved.values.entries())
    of(monthName(number)).resolved += resolved.counts[at] as number;
  return [...months.values()].filter(({ count, resolved }) => count > 0 || resolved > 0);
}
