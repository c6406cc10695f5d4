import autocannon, { type Request } from "autocannon";

/** Generates load on one URL and measures the responses. */

export type LoadOptions = {
  url: string;
  connections: number;
  /** Each connection sends them in order, over and over. */
  requests: Request[];
  seconds: number;
  /** Requests per second of all connections; as many as possible without it. */
  rate?: number;
};

export type LoadResult = {
  perSecond: number;
  /** Median, in ms. */
  p50: number;
  responses: number;
};

/** Slow responses are measured until there are this many, or for this many seconds. */
const MIN_RESPONSES = 10;
const MAX_SECONDS = 40;

/**
 * Sends load with autocannon. Times are taken from each response, since autocannon's own are whole milliseconds.
 * @throws Error when a response isn't a success
 */
export async function runLoad({
  url,
  connections,
  requests,
  seconds,
  rate,
}: LoadOptions): Promise<LoadResult> {
  const times: number[] = [];
  const statuses = new Set<number>();
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  const done = Promise.withResolvers<autocannon.Result>();
  const options = {
    url,
    connections,
    requests,
    duration: 6000,
    timeout: 60,
    ...(rate && { overallRate: rate }),
  };
  const running = autocannon(options, (error, result) => (error ? done.reject(error) : done.resolve(result)));
  running.on("response", (_client, status, _bytes, ms) => {
    times.push(ms);
    statuses.add(status);
  });
  const watching = setInterval(() => {
    const enough = times.length >= MIN_RESPONSES || elapsed() >= MAX_SECONDS;
    if (elapsed() >= seconds && enough) running.stop();
  }, 20);
  const { errors, timeouts } = await done.promise.finally(() => clearInterval(watching));
  const perSecond = times.length / elapsed();
  const failed = [...statuses].filter((status) => status < 200 || status > 299);
  if (failed.length > 0 || errors + timeouts > 0 || times.length === 0)
    throw new Error(`${requests[0]?.path}: ${times.length} responses, statuses ${failed}, ${errors} errors`);
  times.sort((a, b) => a - b);
  return { perSecond, p50: times[Math.floor(times.length / 2)] ?? Number.NaN, responses: times.length };
}
