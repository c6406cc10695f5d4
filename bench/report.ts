import type { Seen } from "./load.ts";
import type { Export, Heavy, Logins, Streams } from "./pressure.ts";
import type { Row } from "./rows.ts";

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

export type Statements = { queries: number; transaction: number };

export type Found = {
  row: Pick<Row, "name" | "title" | "share" | "growth" | "connections">;
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
  streams?: Streams;
};

/** p50 at the largest size by p50 at the smallest; undefined with one size. */
export function growthOf({ measured }: Found): number | undefined {
  const [small, large] = [measured[0], measured.at(-1)];
  return small && large && small !== large ? large.seen.p50 / small.seen.p50 : undefined;
}

export const shareOf = ({ seen, constant }: Measured): number => seen.perSecond / constant;

/** Every table, with each goal as met or missed. */
export function report(result: Result): string {
  const parts = [
    `Node ${result.node}, ${result.cores} cores${result.quick ? ", short run" : ""}. Times in ms, memory in MB.`,
    table(HEAD, result.found.flatMap(linesOf)),
    ...exportLines(result),
    ...uploadLines(result),
    ...loginLines(result),
    ...streamLines(result),
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

function linesOf(found: Found): string[][] {
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
        : [shareGoal(found, one), last ? growthGoal(found) : ""].filter(Boolean).join(", "),
    ];
  });
}

function shareGoal({ row }: Found, measured: Measured): string {
  return row.share === undefined ? "" : `share ${row.share} ${verdict(shareOf(measured) >= row.share)}`;
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

function streamLines({ streams }: Result): string[] {
  if (!streams) return [];
  const { idleMb, openMb, laterMb, heard } = streams;
  return [
    `${streams.streams} live streams: memory ${idleMb.toFixed(0)} without, ${openMb.toFixed(0)} with all open, ${laterMb.toFixed(0)} after ` +
      `${heard} events (goal under 100 more ${verdict(laterMb - idleMb < 100 && heard > 0)})`,
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
