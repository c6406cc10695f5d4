import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import type { BenchmarkResult } from "./report.ts";

/**
 * `npm run bench -- --against FOLDER`: runs the benchmark of this checkout and that of another one in turn, each with its
 * own code and data, so that changes in the machine's speed affect both. Only ratios are printed.
 */

/** How often each checkout is measured: this, the other, this, the other. */
const ROUNDS = 2;

type Measure = { title: string; take: (found: Measured) => number | undefined };
type Measured = BenchmarkResult["found"][number]["measured"][number];

const MEASURES: Measure[] = [
  { title: "requests/s", take: ({ seen }) => seen.perSecond },
  { title: "p50", take: ({ seen }) => seen.p50 },
  { title: "processor", take: ({ seen }) => seen.processor },
  { title: "memory", take: ({ seen }) => seen.memory },
];

type Round = { own: BenchmarkResult; other: BenchmarkResult };

/**
 * Measures both checkouts in turn.
 * @param folder another checkout, with its packages installed
 * @param args further options of the benchmark
 * @returns a table of ratios, this checkout to the other
 * @throws Error when a benchmark fails
 */
export async function compareWithCheckout(folder: string, args: string[]): Promise<string> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await runBenchmarkOf(PROJECT_ROOT, args);
    rounds.push({ own, other: await runBenchmarkOf(path.resolve(folder), args) });
  }
  return formatRatios(rounds);
}

async function runBenchmarkOf(folder: string, args: string[]): Promise<BenchmarkResult> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "heed-against-"));
  const file = path.join(scratch, "result.json");
  const script = ["--disable-warning=ExperimentalWarning", path.join(folder, "bench/run.ts")];
  const child = spawn(process.execPath, [...script, ...args, "--json", file], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`The benchmark of ${folder} ended with code ${String(code)}.`);
  const result = JSON.parse(fs.readFileSync(file, "utf8")) as BenchmarkResult;
  fs.rmSync(scratch, { recursive: true, force: true });
  return result;
}

/** Formats the ratios of this checkout to the other: the mean of the rounds, and the lowest and highest of them. */
function formatRatios(rounds: readonly Round[]): string {
  const lines = (rounds[0]?.own.found ?? []).flatMap(({ row, measured }) =>
    measured.map(({ incidents }) => {
      const cells = MEASURES.map(({ take }) =>
        formatRatio(rounds.map((round) => computeRatio(round, { name: row.name, incidents, take }))),
      );
      return [row.title, String(incidents), ...cells].join(" | ");
    }),
  );
  return [
    "",
    "This checkout to the other, mean (lowest to highest)",
    ["", "incidents", ...MEASURES.map(({ title }) => title)].join(" | "),
    ...lines,
  ].join("\n");
}

type Place = { name: string; incidents: number } & Pick<Measure, "take">;

function computeRatio({ own, other }: Round, place: Place): number | undefined {
  const [ours, theirs] = [own, other].map((result) => findMeasured(result, place));
  const [above, below] = [ours && place.take(ours), theirs && place.take(theirs)];
  return above === undefined || below === undefined ? undefined : above / below;
}

const findMeasured = ({ found }: BenchmarkResult, { name, incidents }: Place): Measured | undefined =>
  found.find(({ row }) => row.name === name)?.measured.find((one) => one.incidents === incidents);

function formatRatio(ratios: readonly (number | undefined)[]): string {
  const known = ratios.filter((ratio) => ratio !== undefined);
  if (known.length === 0) return "-";
  const mean = known.reduce((sum, ratio) => sum + ratio, 0) / known.length;
  return `×${mean.toFixed(2)} (${Math.min(...known).toFixed(2)} to ${Math.max(...known).toFixed(2)})`;
}
