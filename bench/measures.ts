import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "autocannon";
import { runLoad } from "./load.ts";
import {
  listBackends,
  listProcesses,
  readMemoryMb,
  readProcessorMs,
  readProcessorMsSince,
} from "./process.ts";

/** What is measured, the same way for this checkout, another one, the baseline server and other software. */

/** Something that serves requests for a number of reports. */
export type Side = {
  title: string;
  url: string;
  pid: number;
  databaseUrl: string;
  /** The requests of a measure; undefined where the side has nothing like it. */
  find(measure: string): Request[] | undefined;
  /** Starts it anew, for the measures of memory. */
  restart?(): Promise<void>;
};

/** Values by their names, such as "requests/s"; of some more is better, of the others less. */
type Values = Record<string, number>;

export type Measure = {
  name: string;
  title: string;
  /** Numbers of reports. */
  sizes: readonly number[];
  take(side: Side, requests: Request[], seconds: number): Promise<Values>;
};

const SMALL = 10_000;
const LARGE = 100_000;

type Load = { connections: number; requests: Request[]; seconds: number };

/** Sends load after a quarter of it as a warm-up. Processor times are per request, in ms. */
async function measureLoad({ url, pid, databaseUrl }: Side, load: Load) {
  await runLoad({ ...load, url, seconds: load.seconds / 4 });
  const service = readProcessorMs(listProcesses(pid));
  const database = readProcessorMs(await listBackends(databaseUrl));
  const result = await runLoad({ ...load, url });
  return {
    ...result,
    processor: readProcessorMsSince(service, listProcesses(pid)) / result.responses,
    database: readProcessorMsSince(database, await listBackends(databaseUrl)) / result.responses,
  };
}

/** Requests per second of eight connections, the median of their times, and the processor time of service and database. */
const takeRate: Measure["take"] = async (side, requests, seconds) => {
  const result = await measureLoad(side, { connections: 8, requests, seconds });
  return {
    "requests/s": result.perSecond,
    "p50 ms": result.p50,
    "processor ms": result.processor + result.database,
  };
};

/** The median time of one request after the other. */
const takeMedian: Measure["take"] = async (side, requests, seconds) => ({
  "p50 ms": (await measureLoad(side, { connections: 1, requests, seconds })).p50,
});

/** Processor time of a page, one after the other, and the size of its HTML before compression. */
const takePage: Measure["take"] = async (side, requests, seconds) => {
  const result = await measureLoad(side, { connections: 1, requests, seconds });
  const [request] = requests;
  const page = await fetch(side.url + request?.path, { headers: request?.headers as Record<string, string> });
  return {
    "processor ms": result.processor,
    "database ms": result.database,
    "p50 ms": result.p50,
    "HTML kB": (await page.arrayBuffer()).byteLength / 1000,
  };
};

/** Memory of service and database connections after a start, and after a minute of 60 requests a second. */
const takeMemory: Measure["take"] = async (side, requests, seconds) => {
  await side.restart?.();
  await sleep(3000);
  const read = async () =>
    readMemoryMb([...listProcesses(side.pid), ...(await listBackends(side.databaseUrl))]);
  const start = await read();
  await runLoad({ url: side.url, connections: 12, requests, seconds: seconds * 12, rate: 60 });
  return { "MB at start": start, "MB under load": await read() };
};

export const MEASURES: Measure[] = [
  { name: "session", title: "session check", sizes: [SMALL, LARGE], take: takeRate },
  { name: "list", title: "event list", sizes: [SMALL, LARGE], take: takeRate },
  { name: "across", title: "cross-event list", sizes: [SMALL, LARGE], take: takeRate },
  { name: "detail", title: "detail", sizes: [SMALL, LARGE], take: takeRate },
  { name: "comments", title: "comments of an incident", sizes: [SMALL, LARGE], take: takeRate },
  { name: "people", title: "people list", sizes: [SMALL, LARGE], take: takeRate },
  { name: "earlier", title: "earlier reports of a person", sizes: [SMALL, LARGE], take: takeRate },
  { name: "search", title: "cross-event search, common word", sizes: [SMALL, LARGE], take: takeRate },
  { name: "analytics", title: "analytics, all time", sizes: [SMALL, LARGE], take: takeMedian },
  { name: "inbox", title: "inbox page", sizes: [SMALL], take: takePage },
  { name: "incident", title: "incident page", sizes: [SMALL], take: takePage },
  { name: "entries-5", title: "incident page, 5 entries", sizes: [SMALL], take: takePage },
  { name: "entries-500", title: "incident page, 500 entries", sizes: [SMALL], take: takePage },
  { name: "event", title: "public event page", sizes: [SMALL], take: takePage },
  { name: "create", title: "create", sizes: [SMALL, LARGE], take: takeRate },
  { name: "state", title: "status change", sizes: [SMALL, LARGE], take: takeRate },
  // At one size, since another data set would fill the database's memory.
  { name: "memory", title: "memory", sizes: [SMALL], take: takeMemory },
];

/** Of these values more is better. */
const isMoreBetter = (name: string): boolean => name === "requests/s";

export type Sides = { size: number; sides: Side[] }[];

/** How often each side is measured, and for how many seconds each time. */
export type Effort = { rounds: number; seconds: number };

/**
 * Takes a measure of both sides at all sizes in turn (A B A B), so that changes in the machine's speed affect all alike.
 * @returns a line for each value of the first side, with its ratio to the second: the median of the rounds, and the
 *   lowest and highest
 */
export async function compare(measure: Measure, all: Sides, { rounds, seconds }: Effort): Promise<string[]> {
  const lanes = all
    .filter(({ size }) => measure.sizes.includes(size))
    .map(({ size, sides }) => ({ size, sides, taken: sides.map(() => [] as Values[]) }));
  for (let round = 0; round < rounds; round += 1)
    for (const { sides, taken } of lanes)
      for (const [index, side] of sides.entries()) {
        const requests = side.find(measure.name);
        if (requests) taken[index]?.push(await measure.take(side, requests, seconds));
      }
  return formatLanes(measure, lanes);
}

type Lane = { size: number; taken: Values[][] };

function formatLanes({ title }: Measure, lanes: Lane[]): string[] {
  const names = Object.keys(lanes[0]?.taken[0]?.[0] ?? {});
  return names.map((name) => {
    const of = (values: Values[] = []) => values.map((one) => one[name] ?? Number.NaN);
    const cells = lanes.map(({ size, taken: [own, other] }) => {
      const ratio = other?.[0] && name in other[0] ? ` ×${formatRatio(of(own), of(other))}` : "";
      return `${size}: ${formatValue(computeMedian(of(own)))}${ratio}`;
    });
    const [small, large] = [lanes[0], lanes[1]];
    if (small && large && !isMoreBetter(name))
      cells.push(`growth ×${formatRatio(of(large.taken[0]), of(small.taken[0]))}`);
    return [title, name, ...cells].join(" | ");
  });
}

/** Formats the ratio of values of the same rounds. */
function formatRatio(own: readonly number[], other: readonly number[]): string {
  const ratios = own.map((value, round) => value / (other[round] ?? Number.NaN));
  const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
  return `${computeMedian(ratios).toFixed(2)} (${lowest} to ${highest})`;
}

const computeMedian = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2;
};

const formatValue = (value: number): string => value.toFixed(value < 100 ? 1 : 0);
