import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry, type MetricObject } from "prom-client";
import { processWide } from "#lib/process-wide.ts";
import { findProcessMetrics } from "./metrics.ts";

/**
 * Metrics of several serving processes. A scrape reaches one of them but has to report on all: that one asks the
 * primary process, which asks the others and adds the numbers up.
 */

type Values = MetricObject[];
type MetricsMessage =
  | { heedMetrics: "collect" | "read"; id: number }
  | { heedMetrics: "values"; id: number; values: Values }
  | { heedMetrics: "aggregate"; id: number; text: string };

const REPLY_TIMEOUT_MS = 2000;

const waitingRequests = processWide(
  "metrics requests",
  () => new Map<number, (message: MetricsMessage) => void>(),
);

/** Returns the metrics of all processes of this service, without those that don't respond within two seconds. */
export async function collectClusterMetrics(): Promise<string> {
  if (!cluster.isWorker) return aggregateMetrics([await readOwnMetrics()]);
  const message = await requestMetrics("collect", sendToPrimary);
  return message?.heedMetrics === "aggregate" ? message.text : aggregateMetrics([await readOwnMetrics()]);
}

/** Makes this process take part in collecting metrics. Call it once in each process. */
export function registerClusterMetricsHandlers(): void {
  if (!findProcessMetrics()) return;
  if (cluster.isWorker)
    process.on("message", (message: MetricsMessage) => void handlePrimaryMessage(message));
  else cluster.on("message", (worker, message: MetricsMessage) => void handleWorkerMessage(worker, message));
}

async function handlePrimaryMessage(message: MetricsMessage): Promise<void> {
  if (message?.heedMetrics === "read")
    sendToPrimary({ heedMetrics: "values", id: message.id, values: await readOwnMetrics() });
  else resolveReply(message);
}

async function handleWorkerMessage(worker: Worker, message: MetricsMessage): Promise<void> {
  if (message?.heedMetrics !== "collect") return resolveReply(message);
  const others = Object.values(cluster.workers ?? {}).filter((one) => one?.isConnected());
  const replies = others.map((one) =>
    requestMetrics("read", (message) => one?.send(message, ignoreSendError)),
  );
  const values = (await Promise.all(replies)).flatMap((one) =>
    one?.heedMetrics === "values" ? [one.values] : [],
  );
  const text = await aggregateMetrics([await readOwnMetrics(), ...values]);
  if (worker.isConnected())
    worker.send({ heedMetrics: "aggregate", id: message.id, text } satisfies MetricsMessage, ignoreSendError);
}

const sendToPrimary = (message: MetricsMessage): unknown =>
  process.send?.(message, undefined, undefined, ignoreSendError);

/**
 * A process that is exiting can't receive. Unhandled, the failure would be an error event that ends this process,
 * too.
 */
const ignoreSendError = (): void => {};

let lastRequestId = 0;

/** @returns undefined when no response arrives in time */
async function requestMetrics(
  what: "collect" | "read",
  send: (message: MetricsMessage) => unknown,
): Promise<MetricsMessage | undefined> {
  const id = (lastRequestId += 1);
  const replyPromise = new Promise<MetricsMessage>((resolve) => waitingRequests.set(id, resolve));
  send({ heedMetrics: what, id });
  const message = await Promise.race([replyPromise, sleep(REPLY_TIMEOUT_MS, undefined, { ref: false })]);
  waitingRequests.delete(id);
  return message;
}

const resolveReply = (message: MetricsMessage): void =>
  void (message?.heedMetrics && waitingRequests.get(message.id)?.(message));

const readOwnMetrics = async (): Promise<Values> =>
  (await findProcessMetrics()?.registry.getMetricsAsJSON()) ?? [];

const aggregateMetrics = (all: Values[]): Promise<string> => AggregatorRegistry.aggregate(all).metrics();
