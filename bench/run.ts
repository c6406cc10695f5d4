import path from "node:path";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { openBaseline } from "./baseline-server.ts";
import { openCheckout } from "./heed.ts";
import { compare, MEASURES, type Sides } from "./measures.ts";
import { openRequestTracker } from "./peer/request-tracker.ts";

/**
 * `npm run bench`: measures the production build beside something else, in turn (docs/performance.md). Only the ratios
 * hold on a machine that is busy with other work.
 */

const NAMES = MEASURES.map(({ name }) => name);

const options = parseArgumentsOrExit(
  {
    against: { type: "string" },
    peer: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: NAMES },
    rounds: { type: "string", default: "4" },
    seconds: { type: "string", default: "4" },
  },
  `npm run bench [-- OPTIONS]
Measures the production build at 10,000 and 100,000 incidents beside a bare server with node:http and pg.
  --against FOLDER  beside another checkout, which has its packages installed
  --peer            beside Request Tracker 5, with 10,000 reports (bench/peer)
  --only NAME       that row alone; may be given several times: ${NAMES.join(", ")}
  --rounds N        how often each is measured in turn; 4 when not given
  --seconds N       how long each time; 4 when not given`,
);

const closers: (() => unknown)[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

try {
  const unknown = options.only.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join(", ")}. Rows: ${NAMES.join(", ")}.`);
  const all = await openSides();
  const titles = all[0]?.sides.map(({ title }) => title).join(" to ");
  console.log(`${titles}: median (lowest to highest) of ${options.rounds} rounds`);
  const effort = { rounds: Number(options.rounds), seconds: Number(options.seconds) };
  for (const measure of MEASURES.filter(({ name }) => options.only.includes(name)))
    for (const line of await compare(measure, all, effort)) console.log(line);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const close of closers.reverse()) await close();
}

async function openSides(): Promise<Sides> {
  const wanted = MEASURES.filter(({ name }) => options.only.includes(name));
  const sizes = [10_000, 100_000].filter((size) => wanted.some((measure) => measure.sizes.includes(size)));
  if (options.peer) sizes.length = 1;
  const { serverUrl, sides, worlds } = await openCheckout(PROJECT_ROOT, sizes, closers);
  const others = options.against && (await openCheckout(path.resolve(options.against), sizes, closers)).sides;
  const open = async (side: (typeof sides)[number], index: number) => {
    if (others) return others[index] ?? side;
    if (options.peer) return openRequestTracker(serverUrl, side.databaseUrl, closers);
    return openBaseline(side, worlds[index]?.events.map(({ id }) => id) ?? [], closers);
  };
  const all: Sides = [];
  for (const [index, side] of sides.entries())
    all.push({ size: sizes[index] ?? 0, sides: [side, await open(side, index)] });
  return all;
}
