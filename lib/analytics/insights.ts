import { queryWithCustomPlan } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { SEVERITIES_AND_NONE, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { listChartPoints, listPeriodMonths, computePreviousPeriodStart, toChartPointKey } from "./period.ts";
import { convertSecondsToHours } from "./queries.ts";
import { FIRST_RESPONSE_BUCKET_BOUNDS_HOURS, type PeriodFigures, type ReportInsights } from "./schema.ts";
import type { ReportSelection } from "./counted-reports-sql.ts";
import { selectBacklogOverPeriodSql, selectInsightsSql, type OpenReportCounts } from "./insights-sql.ts";

type Seconds = number | null;
type CountedFigures = Omit<
  PeriodFigures,
  "oldestWaiting" | "medianFirstResponse" | "medianFirstReply" | "medianResolution"
> & {
  current: boolean;
  /** Reports whose reporter is known, and others, without those whose conflict check the reader hasn't answered. */
  named: number;
  anonymous: number;
  oldestWaiting: string | null;
  medianFirstResponse: Seconds;
  medianFirstReply: Seconds;
  medianResolution: Seconds;
};

type InsightsRow = {
  figures: CountedFigures[];
  /** By day or month, status and severity; an unset severity is "none". */
  cells: { at: string; state: string; severity: string; n: number }[];
  /** Times to the first response: the number of each bucket of BUCKET_BOUNDS_HOURS, and of the reports in it. */
  answers: { bucket: number; n: number }[];
  /** `type` is null if none was given; "" stands for all types that too few reports have to be named. */
  types: { type: string | null; n: number }[];
  /** The distinct first-response deadlines of the events, in hours. */
  deadlines: number[];
};

/**
 * Returns what the insights page shows beyond analytics: figures and backlog, each counted in one statement. Times in
 * hours with one decimal. `compare` also counts the previous period, with the same filter. Nothing here shows who
 * reported what; rare types are counted together, and with them those of incidents that the reader hasn't opened.
 * @throws AppError NOT_FOUND when the filter names an event that isn't the organization's
 */
export async function loadInsights(selection: ReportSelection, compare: boolean): Promise<ReportInsights> {
  const [insightsRows, backlogRows] = await Promise.all([
    queryWithCustomPlan<InsightsRow>(selectInsightsSql(selection, compare)),
    queryWithCustomPlan<OpenReportCounts>(selectBacklogOverPeriodSql(selection)),
  ]);
  const [counted, backlog] = [insightsRows[0] as InsightsRow, backlogRows[0] as OpenReportCounts];
  if (selection.filter.eventId && counted.deadlines.length === 0) throw createNotFoundError("event");
  const hasPrevious = compare && computePreviousPeriodStart(selection) !== undefined;
  return {
    deadlineHours: counted.deadlines.length === 1 ? (counted.deadlines[0] as number) : null,
    current: toFigures(counted, true),
    previous: hasPrevious ? toFigures(counted, false) : null,
    ...toPoints(counted, { selection, backlog }),
    openBefore: backlog.openAtStart,
    months: toMonths(counted, { selection, backlog }),
    answerTimes: [...FIRST_RESPONSE_BUCKET_BOUNDS_HOURS, null].map((upTo, at) => ({
      upTo,
      count: counted.answers.find(({ bucket }) => bucket === at)?.n ?? 0,
    })),
    byChannel: toChannels(counted),
    ...toTypes(counted),
  };
}

const EMPTY_FIGURES: CountedFigures = {
  current: true,
  named: 0,
  anonymous: 0,
  reports: 0,
  open: 0,
  waiting: 0,
  oldestWaiting: null,
  answered: 0,
  medianFirstResponse: null,
  answeredInTime: 0,
  answerDue: 0,
  replied: 0,
  medianFirstReply: null,
  resolved: 0,
  medianResolution: null,
};

const findFigures = ({ figures }: InsightsRow, current: boolean): CountedFigures =>
  figures.find((one) => one.current === current) ?? EMPTY_FIGURES;

function toChannels(counted: InsightsRow): ReportInsights["byChannel"] {
  const { anonymous, named } = findFigures(counted, true);
  return { anonymous, named };
}

function toFigures(counted: InsightsRow, current: boolean): PeriodFigures {
  const found = findFigures(counted, current);
  return {
    ...found,
    oldestWaiting: found.oldestWaiting === null ? null : new Date(found.oldestWaiting),
    medianFirstResponse: convertSecondsToHours(found.medianFirstResponse),
    medianFirstReply: convertSecondsToHours(found.medianFirstReply),
    medianResolution: convertSecondsToHours(found.medianResolution),
  };
}

type Points = { selection: ReportSelection; backlog: OpenReportCounts };

/** The days or months in which a report came in or was resolved. */
const listCountedTimes = ({ cells }: InsightsRow, { changes }: OpenReportCounts): string[] => [
  ...cells.map(({ at }) => at),
  ...changes.map(({ at }) => at),
];

function toPoints(
  counted: InsightsRow,
  { selection, backlog }: Points,
): Pick<ReportInsights, "unit" | "points"> {
  const { unit, keys } = listChartPoints(listCountedTimes(counted, backlog), selection);
  const keyOf = ({ at }: { at: string }) => toChartPointKey(at, unit);
  const counts = countCells(counted.cells, keyOf);
  const changes = Map.groupBy(backlog.changes, keyOf);
  let open = backlog.openAtStart;
  const points = keys.map((at) => {
    const sum = (name: "created" | "resolved") =>
      (changes.get(at) ?? []).reduce((total, change) => total + change[name], 0);
    const resolved = sum("resolved");
    open += sum("created") - resolved;
    return { at, ...counts(at), resolved, open };
  });
  return { unit, points };
}

function toMonths(counted: InsightsRow, { selection, backlog }: Points): ReportInsights["months"] {
  const counts = countCells(counted.cells, ({ at }) => at.slice(0, "2026-03".length));
  return listPeriodMonths(listCountedTimes(counted, backlog), selection).map((month) => ({
    month,
    ...counts(month),
  }));
}

type CellCounts = Pick<ReportInsights["points"][number], "byStatus" | "bySeverity">;

/** Groups the cells, and returns the counts of a group. */
function countCells(
  cells: InsightsRow["cells"],
  groupOf: (cell: InsightsRow["cells"][number]) => string,
): (group: string) => CellCounts {
  const groups = Map.groupBy(cells, groupOf);
  return (group) => {
    const count = (part: "state" | "severity", name: string) =>
      (groups.get(group) ?? []).reduce((total, cell) => (cell[part] === name ? total + cell.n : total), 0);
    return {
      byStatus: recordByName(INCIDENT_STATES, (state) => count("state", state)),
      bySeverity: recordByName(SEVERITIES_AND_NONE, (severity) => count("severity", severity)),
    };
  };
}

const recordByName = <Name extends string>(names: readonly Name[], value: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;

/** The number of types that the insights count by name, the most frequent first; all others are counted together. */
const MAX_NAMED_TYPES = 2 * Object.keys(STORED_TYPE_BY_INCIDENT_KIND).length;

function toTypes({ types }: InsightsRow): Pick<ReportInsights, "byType" | "otherTypes"> {
  const named = types.filter(({ type }) => type !== "").slice(0, MAX_NAMED_TYPES);
  const others = types.filter((one) => !named.includes(one));
  return {
    byType: named.map(({ type, n }) => ({ type, count: n })),
    otherTypes: others.reduce((total, { n }) => total + n, 0),
  };
}
