import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry, type MetricObject } from "prom-client";
import { metrics } from "./metrics.ts";

/**
 * Where several processes serve, a scrape reaches one of them and has to tell of all: that one asks the process that
 * started it, which asks the others and adds up.
 */

type Values = MetricObject[];
type Word =
  | { heedMetrics: "wanted" | "asked"; id: number }
  | { heedMetrics: "told"; id: number; values: Values }
  | { heedMetrics: "sum"; id: number; text: string };

const PATIENCE_MS = 2000;

// One a process, since the bundler and the start command load modules of their own.
const kept = ((
  globalThis as unknown as { heedGathering?: { waiting: Map<number, (word: Word) => void> } }
).heedGathering ??= { waiting: new Map() });

/** What all processes of this service have counted; of one that doesn't answer within two seconds nothing. */
export async function gatherMetrics(): Promise<string> {
  if (!cluster.isWorker) return sumOf([await own()]);
  const word = await ask("wanted", tellPrimary);
  return word?.heedMetrics === "sum" ? word.text : sumOf([await own()]);
}

/** Takes part in what is gathered: to be called once, in each process. */
export function takePartInMetrics(): void {
  if (!metrics()) return;
  if (cluster.isWorker) process.on("message", (word: Word) => void hearPrimary(word));
  else cluster.on("message", (worker, word: Word) => void hearWorker(worker, word));
}

async function hearPrimary(word: Word): Promise<void> {
  if (word?.heedMetrics === "asked") tellPrimary({ heedMetrics: "told", id: word.id, values: await own() });
  else answer(word);
}

async function hearWorker(worker: Worker, word: Word): Promise<void> {
  if (word?.heedMetrics !== "wanted") return answer(word);
  const others = Object.values(cluster.workers ?? {}).filter((one) => one?.isConnected());
  const told = others.map((one) => ask("asked", (message) => one?.send(message, unheard)));
  const values = (await Promise.all(told)).flatMap((one) =>
    one?.heedMetrics === "told" ? [one.values] : [],
  );
  const text = await sumOf([await own(), ...values]);
  if (worker.isConnected()) worker.send({ heedMetrics: "sum", id: word.id, text } satisfies Word, unheard);
}

const tellPrimary = (word: Word): unknown => process.send?.(word, undefined, undefined, unheard);

/** Who ends in this moment doesn't answer. Without this the failure would be an event that ends this process as well. */
const unheard = (): void => {};

let last = 0;

/** @returns undefined when there is no answer in time */
async function ask(what: "wanted" | "asked", send: (word: Word) => unknown): Promise<Word | undefined> {
  const id = (last += 1);
  const answered = new Promise<Word>((resolve) => kept.waiting.set(id, resolve));
  send({ heedMetrics: what, id });
  const word = await Promise.race([answered, sleep(PATIENCE_MS, undefined, { ref: false })]);
  kept.waiting.delete(id);
  return word;
}

const answer = (word: Word): void => void (word?.heedMetrics && kept.waiting.get(word.id)?.(word));

const own = async (): Promise<Values> => (await metrics()?.registry.getMetricsAsJSON()) ?? [];

const sumOf = (all: Values[]): Promise<string> => AggregatorRegistry.aggregate(all).metrics();
