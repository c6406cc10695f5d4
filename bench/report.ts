import type { Seen } from "./load.ts";
import type { Plan } from "./plans.ts";
import type { MemoryUnderLoad } from "./memory.ts";
import type { Crowd, Export, Heavy, Logins, Streams } from "./pressure.ts";
import type { Row } from "./rows.ts";
import type { Interaction } from "./interactions.ts";
import type { Scripts } from "./scripts.ts";

/** What the benchmark found, as JSON and as text. */

export type Measured = {
  /** Incidents in the database. */
  incidents: number;
  seen: Seen;
  /** Requests per second of the two floors, around this measurement. */
  constant: number;
  database: number;
  /** Processor time of the constant handler per request, in ms; not a number where it can't be known. */
  constantProcessor: number;
};

export type Statements = {
  queries: number;
  transaction: number;
  /** Each of the queries once, as it was sent. */
  texts: string[];
};

export type Found = {
  row: Pick<Row, "name" | "title" | "share" | "growth" | "beside" | "connections">;
  measured: Measured[];
  statements?: Statements;
};

export type Result = {
  node: string;
  cores: number;
  quick: boolean;
  found: Found[];
  exports: (Export & { incidents: number })[];
  upload?: Heavy;
  logins?: Logins;
  crowd?: Crowd;
  memory?: MemoryUnderLoad;
  streams?: Streams;
  scripts?: Scripts[];
  interactions?: Interaction[];
  /** By the name of a row. */
  plans?: Record<string, Plan[]>;
};

/** p50 at the largest size by p50 at the smallest; undefined with one size. */
function growthOf({ measured }: Found): number | undefined {
  const [small, large] = [measured[0], measured.at(-1)];
  return small && large && small !== large ? large.seen.p50 / small.seen.p50 : undefined;
}

const shareOf = ({ seen, constant }: Measured): number => seen.perSecond / constant;

/** Every table, with each goal as met or missed. */
export function report(result: Result): string {
  const parts = [
    `Node ${result.node}, ${result.cores} cores${result.quick ? ", short run" : ""}. Times in ms, memory in MB.`,
    table(
      HEAD,
      result.found.flatMap((found) => linesOf(found, result.found)),
    ),
    ...exportLines(result),
    ...uploadLines(result),
    ...loginLines(result),
    ...crowdLines(result),
    ...memoryLines(result),
    ...streamLines(result),
    ...scriptLines(result),
    ...interactionLines(result),
    ...planLines(result),
    ...result.found.flatMap(problemsOf),
  ];
  return parts.join("\n\n");
}

const HEAD = [
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

function linesOf(found: Found, all: readonly Found[]): string[][] {
  const { row, measured, statements } = found;
  const growth = growthOf(found);
  return measured.map((one, index) => {
    const { seen } = one;
    const last = index === measured.length - 1;
    return [
      index === 0 ? row.title : "",
      String(one.incidents),
      seen.perSecond.toFixed(seen.perSecond < 10 ? 1 : 0),
      seen.p50.toFixed(1),
      seen.p99.toFixed(1),
      shareOf(one).toFixed(2),
      (seen.perSecond / one.database).toFixed(2),
      seen.processor?.toFixed(2) ?? "",
      seen.processor === undefined ? "" : (one.constantProcessor / seen.processor).toFixed(2),
      seen.memory?.toFixed(0) ?? "",
      index === 0 && statements ? `${round(statements.queries)} + ${round(statements.transaction)}` : "",
      last && growth !== undefined ? growth.toFixed(2) : "",
      seen.problems.length > 0
        ? "INVALID"
        : [shareGoal(found, one), besideGoal(found, one, all), last ? growthGoal(found) : ""]
            .filter(Boolean)
            .join(", "),
    ];
  });
}

function shareGoal({ row }: Found, measured: Measured): string {
  return row.share === undefined ? "" : `share ${row.share} ${verdict(shareOf(measured) >= row.share)}`;
}

function besideGoal({ row }: Found, { incidents, seen }: Measured, all: readonly Found[]): string {
  const { beside } = row;
  const other = all.find((found) => found.row.name === beside?.row);
  const same = other?.measured.find((one) => one.incidents === incidents);
  if (!beside || !same) return "";
  const times = seen.p50 / same.seen.p50;
  return `${times.toFixed(2)} times ${beside.row}, at most ${beside.times} ${verdict(times <= beside.times)}`;
}

function growthGoal(found: Found): string {
  const growth = growthOf(found);
  const most = found.row.growth;
  return most === undefined || growth === undefined ? "" : `growth ${most} ${verdict(growth <= most)}`;
}

const verdict = (met: boolean): string => (met ? "met" : "MISSED");
const round = (value: number): string => String(Math.round(value * 10) / 10);

function exportLines({ exports }: Result): string[] {
  return exports.map(
    (one) =>
      `CSV export: ${one.rows} rows, ${one.megabytes.toFixed(1)} MB in ${one.seconds.toFixed(2)} s (first byte after ${one.firstByteSeconds.toFixed(2)} s), ` +
      `${(one.rows / one.seconds).toFixed(0)} rows/s, ${(one.megabytes / one.seconds).toFixed(1)} MB/s; ${memory(one)}`,
  );
}

function uploadLines({ upload }: Result): string[] {
  return upload
    ? [
        `Upload of ${upload.megabytes.toFixed(1)} MB in one report: ${upload.seconds.toFixed(2)} s; ${memory(upload)}`,
      ]
    : [];
}

const memory = ({ idleMb, peakMb }: Heavy): string =>
  `memory ${idleMb.toFixed(0)} idle, ${peakMb.toFixed(0)} at most, ${(peakMb - idleMb).toFixed(0)} more (goal under 100 ${verdict(peakMb - idleMb < 100)})`;

function loginLines({ logins }: Result): string[] {
  if (!logins) return [];
  const { idle, during } = logins;
  const more = during.p99 - idle.p99;
  return [
    `${logins.logins} logins at once took ${logins.seconds.toFixed(1)} s; session check beside them: p50 ${during.p50.toFixed(1)} (idle ${idle.p50.toFixed(1)}), ` +
      `p99 ${during.p99.toFixed(1)} (idle ${idle.p99.toFixed(1)}), ${more.toFixed(1)} more (goal under 100 ${verdict(more < 100)})` +
      [...idle.problems, ...during.problems].map((problem) => `; INVALID: ${problem}`).join(""),
  ];
}

function crowdLines({ crowd }: Result): string[] {
  if (!crowd) return [];
  const { waiting, refused, right } = crowd;
  return [
    `${waiting} logins waiting from one address (${refused} told to come back): a right one from elsewhere was answered ${right.status} ` +
      `after ${right.seconds.toFixed(2)} s (goal 200 within 3 s ${verdict(right.status === 200 && right.seconds < 3)})`,
  ];
}

function memoryLines({ memory }: Result): string[] {
  if (!memory) return [];
  const { minutes, perSecond, answers, failures, service, database } = memory;
  const total = (service.at(-1) ?? Number.NaN) + database;
  return [
    `${minutes} minutes at ${perSecond} requests a second (${answers} answers, ${failures} failures): the service holds ` +
      `${service.map((mb) => mb.toFixed(0)).join(", ")} MB, the database ${database.toFixed(0)}; together ` +
      `${total.toFixed(0)} (goal under 512 ${verdict(total < 512 && failures === 0)})`,
  ];
}

function scriptLines({ scripts = [] }: Result): string[] {
  return scripts.map(
    ({ title, bytes, goal }) =>
      `${title}: ${kilobytes(bytes)} compressed (goal at most ${kilobytes(goal)} ${verdict(bytes <= goal)})`,
  );
}

function interactionLines({ interactions = [] }: Result): string[] {
  return interactions.map(
    ({ title, ms, longMs, goal }) =>
      `${title}: ${ms.toFixed(0)} ms of the browser's main thread, ${longMs.toFixed(0)} of them in long tasks (goal under ${goal} ${verdict(ms < goal)})`,
  );
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

function streamLines({ streams }: Result): string[] {
  if (!streams) return [];
  const { idleMb, openMb, roundsMb, heard } = streams;
  const [first = 0, ...later] = roundsMb;
  const growth = (later.at(-1) ?? first) - first;
  return [
    `${streams.streams} live streams: memory ${idleMb.toFixed(0)} without, ${openMb.toFixed(0)} with all open, ` +
      `${roundsMb.map((mb) => mb.toFixed(0)).join(", ")} after rounds of changes, ${heard} events in all; ` +
      `${growth.toFixed(0)} more from the first round to the last (goal under 30 ${verdict(growth < 30 && heard > 0)})`,
  ];
}

/** Each statement of each row, and by which indexes it finds what it reads. */
function planLines({ plans = {} }: Result): string[] {
  const all = Object.entries(plans).flatMap(([row, statements]) =>
    statements.map((one) => ({ row, ...one })),
  );
  if (all.length === 0) return [];
  const walked = all.filter(({ sequential }) => sequential.length > 0);
  return [
    `Plans of ${all.length} statements at the largest size; read from end to end: ${walked.length} (goal none ${verdict(walked.length === 0)})`,
    all
      .map(({ row, statement, reads, sequential }) =>
        [
          `${row}: ${statement}`,
          `  by ${reads.join(", ") || "nothing"}`,
          ...sequential.map((table) => `  SEQUENTIAL ${table}`),
        ].join("\n"),
      )
      .join("\n"),
  ];
}

function problemsOf({ row, measured }: Found): string[] {
  return measured
    .filter(({ seen }) => seen.problems.length > 0)
    .map(
      ({ incidents, seen }) =>
        `${row.title} at ${incidents} incidents counts for nothing: ${seen.problems.join(", ")}.`,
    );
}

/** Columns side by side; the first is words, the others are numbers. */
function table(head: string[], lines: string[][]): string {
  const all = [head, ...lines];
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const set = (line: string[]) =>
    line
      .map((cell, column) => {
        const words = column === 0 || column === head.length - 1;
        return words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
      })
      .join("  ")
      .trimEnd();
  return [set(head), widths.map((width) => "-".repeat(width)).join("  "), ...lines.map(set)].join("\n");
}
