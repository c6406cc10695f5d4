import type { LoadResult } from "./load.ts";
import type { QueryPlan } from "./plans.ts";
import type { SteadyLoadResult } from "./memory.ts";
import type {
  LoginQueueResult,
  ExportResult,
  HeavyRequestResult,
  LoginLoadResult,
  StreamLoadResult,
} from "./pressure.ts";
import type { Scenario } from "./rows.ts";
import type { Interaction } from "./interactions.ts";
import { MAX_SHIFT, type PageLoadResult } from "./page-loads.ts";
import type { ScriptSize } from "./scripts.ts";

/** The results of the benchmark, as JSON and as text. */

export type Measurement = {
  /** Number of incidents in the database. */
  incidents: number;
  seen: LoadResult;
  /** Requests per second of the two baselines, measured before and after this measurement. */
  constant: number;
  database: number;
  /** Processor time of the constant handler per request, in ms; NaN where it is unknown. */
  constantProcessor: number;
};

export type StatementCounts = {
  queries: number;
  transaction: number;
  /** Each distinct query, as it was sent. */
  texts: string[];
};

export type ScenarioResult = {
  row: Pick<Scenario, "name" | "title" | "share" | "growth" | "beside" | "connections">;
  measured: Measurement[];
  statements?: StatementCounts;
};

export type BenchmarkResult = {
  node: string;
  cores: number;
  quick: boolean;
  found: ScenarioResult[];
  exports: (ExportResult & { incidents: number })[];
  upload?: HeavyRequestResult;
  logins?: LoginLoadResult;
  loginQueue?: LoginQueueResult;
  memory?: SteadyLoadResult;
  streams?: StreamLoadResult;
  scripts?: ScriptSize[];
  interactions?: Interaction[];
  pageLoads?: PageLoadResult[];
  /** By the name of a scenario. */
  plans?: Record<string, QueryPlan[]>;
};

/** p50 at the largest size divided by p50 at the smallest; undefined with one size. */
function computeGrowth({ measured }: ScenarioResult): number | undefined {
  const [small, large] = [measured[0], measured.at(-1)];
  return small && large && small !== large ? large.seen.p50 / small.seen.p50 : undefined;
}

const computeShare = ({ seen, constant }: Measurement): number => seen.perSecond / constant;

/** Formats all tables, with each goal as met or missed. */
export function formatReport(result: BenchmarkResult): string {
  const parts = [
    `Node ${result.node}, ${result.cores} cores${result.quick ? ", short run" : ""}. Times in ms, memory in MB.`,
    formatTable(
      TABLE_HEAD,
      result.found.flatMap((found) => formatScenarioLines(found, result.found)),
    ),
    ...formatExports(result),
    ...formatUpload(result),
    ...formatLogins(result),
    ...formatLoginQueue(result),
    ...formatMemory(result),
    ...formatStreams(result),
    ...formatScripts(result),
    ...formatInteractions(result),
    ...formatPageLoads(result),
    ...formatPlans(result),
    ...result.found.flatMap(formatProblems),
  ];
  return parts.join("\n\n");
}

const TABLE_HEAD = [
  "what",
  "incidents",
  "req/s",
  "p50",
  "p99",
  "/ constant",
  "/ pg",
  "CPU/req",
  "CPU share",
  "RSS",
  "queries",
  "growth",
  "goals",
];

function formatScenarioLines(found: ScenarioResult, all: readonly ScenarioResult[]): string[][] {
  const { row, measured, statements } = found;
  const growth = computeGrowth(found);
  return measured.map((one, index) => {
    const { seen } = one;
    const last = index === measured.length - 1;
    return [
      index === 0 ? row.title : "",
      String(one.incidents),
      seen.perSecond.toFixed(seen.perSecond < 10 ? 1 : 0),
      seen.p50.toFixed(1),
      seen.p99.toFixed(1),
      computeShare(one).toFixed(2),
      (seen.perSecond / one.database).toFixed(2),
      seen.processor?.toFixed(2) ?? "",
      seen.processor === undefined ? "" : (one.constantProcessor / seen.processor).toFixed(2),
      seen.memory?.toFixed(0) ?? "",
      index === 0 && statements ? `${round(statements.queries)} + ${round(statements.transaction)}` : "",
      last && growth !== undefined ? growth.toFixed(2) : "",
      seen.problems.length > 0
        ? "INVALID"
        : [formatShareGoal(found, one), formatRatioGoal(found, one, all), last ? formatGrowthGoal(found) : ""]
            .filter(Boolean)
            .join(", "),
    ];
  });
}

function formatShareGoal({ row }: ScenarioResult, measured: Measurement): string {
  return row.share === undefined
    ? ""
    : `share ${row.share} ${formatVerdict(computeShare(measured) >= row.share)}`;
}

function formatRatioGoal(
  { row }: ScenarioResult,
  { incidents, seen }: Measurement,
  all: readonly ScenarioResult[],
): string {
  const { beside } = row;
  const other = all.find((found) => found.row.name === beside?.row);
  const same = other?.measured.find((one) => one.incidents === incidents);
  if (!beside || !same) return "";
  const times = seen.p50 / same.seen.p50;
  return `${times.toFixed(2)} times ${beside.row}, at most ${beside.times} ${formatVerdict(times <= beside.times)}`;
}

function formatGrowthGoal(found: ScenarioResult): string {
  const growth = computeGrowth(found);
  const most = found.row.growth;
  return most === undefined || growth === undefined ? "" : `growth ${most} ${formatVerdict(growth <= most)}`;
}

const formatVerdict = (met: boolean): string => (met ? "met" : "MISSED");
const round = (value: number): string => String(Math.round(value * 10) / 10);

function formatExports({ exports }: BenchmarkResult): string[] {
  return exports.map(
    (one) =>
      `CSV export: ${one.rows} rows, ${one.megabytes.toFixed(1)} MB in ${one.seconds.toFixed(2)} s (first byte after ${one.firstByteSeconds.toFixed(2)} s), ` +
      `${(one.rows / one.seconds).toFixed(0)} rows/s, ${(one.megabytes / one.seconds).toFixed(1)} MB/s; ${memory(one)}`,
  );
}

function formatUpload({ upload }: BenchmarkResult): string[] {
  return upload
    ? [
        `Upload of ${upload.megabytes.toFixed(1)} MB in one report: ${upload.seconds.toFixed(2)} s; ${memory(upload)}`,
      ]
    : [];
}

const memory = ({ idleMb, peakMb }: HeavyRequestResult): string =>
  `memory ${idleMb.toFixed(0)} idle, ${peakMb.toFixed(0)} at most, ${(peakMb - idleMb).toFixed(0)} more (goal under 100 ${formatVerdict(peakMb - idleMb < 100)})`;

function formatLogins({ logins }: BenchmarkResult): string[] {
  if (!logins) return [];
  const { idle, during } = logins;
  const more = during.p99 - idle.p99;
  return [
    `${logins.logins} logins at once took ${logins.seconds.toFixed(1)} s; session check beside them: p50 ${during.p50.toFixed(1)} (idle ${idle.p50.toFixed(1)}), ` +
      `p99 ${during.p99.toFixed(1)} (idle ${idle.p99.toFixed(1)}), ${more.toFixed(1)} more (goal under 100 ${formatVerdict(more < 100)})` +
      [...idle.problems, ...during.problems].map((problem) => `; INVALID: ${problem}`).join(""),
  ];
}

function formatLoginQueue({ loginQueue }: BenchmarkResult): string[] {
  if (!loginQueue) return [];
  const { waiting, refused, right } = loginQueue;
  return [
    `${waiting} logins waiting from one address (${refused} told to come back): a right one from elsewhere got ${right.status} ` +
      `after ${right.seconds.toFixed(2)} s (goal 200 within 3 s ${formatVerdict(right.status === 200 && right.seconds < 3)})`,
  ];
}

function formatMemory({ memory }: BenchmarkResult): string[] {
  if (!memory) return [];
  const { minutes, perSecond, responses, failures, service, database } = memory;
  const total = (service.at(-1) ?? Number.NaN) + database;
  return [
    `${minutes} minutes at ${perSecond} requests a second (${responses} responses, ${failures} failures): the service holds ` +
      `${service.map((mb) => mb.toFixed(0)).join(", ")} MB, the database ${database.toFixed(0)}; together ` +
      `${total.toFixed(0)} (goal under 512 ${formatVerdict(total < 512 && failures === 0)})`,
  ];
}

function formatScripts({ scripts = [] }: BenchmarkResult): string[] {
  return scripts.map(
    ({ title, bytes, goal }) =>
      `${title}: ${formatKilobytes(bytes)} compressed (goal at most ${formatKilobytes(goal)} ${formatVerdict(bytes <= goal)})`,
  );
}

function formatInteractions({ interactions = [] }: BenchmarkResult): string[] {
  return interactions.map(
    ({ title, ms, longMs, goal }) =>
      `${title}: ${ms.toFixed(0)} ms of the browser's main thread, ${longMs.toFixed(0)} of them in long tasks (goal under ${goal} ${formatVerdict(ms < goal)})`,
  );
}

function formatPageLoads({ pageLoads = [] }: BenchmarkResult): string[] {
  return pageLoads.map(
    ({ title, shift, firstPaintMs, largestPaintMs, bytes }) =>
      `First visit over slow 4G, ${title}: first paint ${firstPaintMs.toFixed(0)} ms, largest ${largestPaintMs.toFixed(0)} ms, ` +
      `${formatKilobytes(bytes)}; layout shift ${shift.toFixed(3)} (goal under ${MAX_SHIFT} ${formatVerdict(shift < MAX_SHIFT)})`,
  );
}

const formatKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

function formatStreams({ streams }: BenchmarkResult): string[] {
  if (!streams) return [];
  const { idleMb, openMb, roundsMb, heard } = streams;
  const [first = 0, ...later] = roundsMb;
  const growth = (later.at(-1) ?? first) - first;
  return [
    `${streams.streams} live streams: memory ${idleMb.toFixed(0)} without, ${openMb.toFixed(0)} with all open, ` +
      `${roundsMb.map((mb) => mb.toFixed(0)).join(", ")} after rounds of changes, ${heard} events in all; ` +
      `${growth.toFixed(0)} more from the first round to the last (goal under 30 ${formatVerdict(growth < 30 && heard > 0)})`,
  ];
}

/** Lists each statement of each scenario with the indexes that it uses. */
function formatPlans({ plans = {} }: BenchmarkResult): string[] {
  const all = Object.entries(plans).flatMap(([row, statements]) =>
    statements.map((one) => ({ row, ...one })),
  );
  if (all.length === 0) return [];
  const walked = all.filter(({ sequential }) => sequential.length > 0);
  return [
    `Plans of ${all.length} statements at the largest size; read from end to end: ${walked.length} (goal none ${formatVerdict(walked.length === 0)})`,
    all
      .map(({ row, statement, reads, sequential }) =>
        [
          `${row}: ${statement}`,
          `  by ${reads.join(", ") || "nothing"}`,
          ...sequential.map((formatTable) => `  SEQUENTIAL ${formatTable}`),
        ].join("\n"),
      )
      .join("\n"),
  ];
}

function formatProblems({ row, measured }: ScenarioResult): string[] {
  return measured
    .filter(({ seen }) => seen.problems.length > 0)
    .map(
      ({ incidents, seen }) =>
        `${row.title} at ${incidents} incidents counts for nothing: ${seen.problems.join(", ")}.`,
    );
}

/** Formats aligned columns; the first holds text, the others numbers. */
function formatTable(head: string[], lines: string[][]): string {
  const all = [head, ...lines];
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const set = (line: string[]) =>
    line
      .map((cell, column) => {
        const isText = column === 0 || column === head.length - 1;
        return isText ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
      })
      .join("  ")
      .trimEnd();
  return [set(head), widths.map((width) => "-".repeat(width)).join("  "), ...lines.map(set)].join("\n");
}
