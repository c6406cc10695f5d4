import autocannon from "autocannon";
import { readCpuMs, readResidentMb } from "./process.ts";

/** Generates load on one URL and measures the responses. */

export type LoadOptions = {
  url: string;
  connections: number;
  /** Each connection sends them in order, over and over. */
  requests: autocannon.Request[];
  /** Minimum duration; see MIN_RESPONSES. */
  seconds: number;
  /** Ends the load when it settles, instead of after `seconds`. */
  until?: Promise<unknown>;
  /** The process whose memory and processor time are measured. */
  pid?: number;
};

export type LoadResult = {
  perSecond: number;
  /** In ms. */
  p50: number;
  p99: number;
  requests: number;
  /** Processor time of the process per request, in ms. */
  processor: number | undefined;
  /** Resident memory of the process at the end, in MB. */
  memory: number | undefined;
  /** Descriptions of problems; a measurement with any is invalid. */
  problems: string[];
};

/** Slow responses are measured until there are this many, or for this many seconds. */
const MIN_RESPONSES = 20;
const MAX_SECONDS = 60;

/** Sends load with autocannon. Times are taken from each response, since autocannon's own are whole milliseconds. */
export async function runLoad({
  url,
  connections,
  requests,
  seconds,
  until,
  pid,
}: LoadOptions): Promise<LoadResult> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const before = pid === undefined ? undefined : readCpuMs(pid);
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const done = Promise.withResolvers<autocannon.Result>();
  const running = autocannon({ url, connections, requests, duration: 600, timeout: 60 }, (error, result) =>
    error ? done.reject(error) : done.resolve(result),
  );
  running.on("response", (_client, status, _bytes, ms) => {
    times.push(ms);
    if (status < 200 || status > 299) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  const watching = setInterval(() => {
    const enough = elapsed() >= seconds && (times.length >= MIN_RESPONSES || elapsed() >= MAX_SECONDS);
    if (enough && !until) running.stop();
  }, 20);
  void until?.finally(() => running.stop());
  const result = await done.promise.finally(() => clearInterval(watching));
  const perSecond = times.length / elapsed();
  const after = pid === undefined ? undefined : readCpuMs(pid);
  times.sort((a, b) => a - b);
  return {
    perSecond,
    p50: computeQuantile(times, 0.5),
    p99: computeQuantile(times, 0.99),
    requests: times.length,
    processor: before === undefined || after === undefined ? undefined : (after - before) / times.length,
    memory: pid === undefined ? undefined : readResidentMb(pid),
    problems: listProblems(result, statuses, times.length),
  };
}

function listProblems(result: autocannon.Result, statuses: Map<number, number>, responses: number): string[] {
  return [
    ...[...statuses].map(([status, count]) => `${count} of ${responses} responses have status ${status}`),
    ...(result.errors > 0 ? [`${result.errors} connection errors`] : []),
    ...(result.timeouts > 0 ? [`${result.timeouts} without a response in time`] : []),
    ...(responses === 0 ? ["no response"] : []),
  ];
}

/** Returns the value at this share of sorted numbers. */
const computeQuantile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
