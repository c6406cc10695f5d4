import type { Ledger } from "./load.ts";

/** A fault that is caused with real processes, and the check of its effects. */
export type Fault = {
  /** The name for `--only`. */
  name: string;
  title: string;
  /** Whether the number of kills matters to the fault. */
  kills?: true;
  run(options: FaultOptions): Promise<Findings>;
};

export type FaultOptions = {
  /** How often the service is killed, where a fault kills it. */
  kills: number;
  /**
   * Seed of the random moments and actions. The same seed gives the same ones, as far as the machine's timing allows.
   */
  seed: number;
  /** Runs only the part that fits into `npm test`, where other tests keep the machine busy: no time is limited. */
  short?: boolean;
  /** What earlier faults have sent to the same stage. */
  earlier?: Ledger;
  say(line: string): void;
};

export type Figure = { what: string; value: string };

/** The findings of a fault: figures for the table of docs/reliability.md, and expectations that failed. */
export class Findings {
  readonly figures: Figure[] = [];
  readonly failures: string[] = [];
  /** The reason why this machine can't run the fault, which then neither passes nor fails. */
  skipped: string | undefined;
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  figure(what: string, value: string | number): void {
    this.figures.push({ what, value: String(value) });
    this.#say(`  ${what}: ${value}`);
  }

  /** Records a failure unless `holds` is true. */
  expect(holds: boolean, otherwise: string): void {
    if (holds) return;
    this.failures.push(otherwise);
    this.#say(`  NOT AS IT SHOULD BE: ${otherwise}`);
  }

  /** Records a failure where a response took longer than the limit, which holds on a machine without other work. */
  expectWithin(
    ms: number,
    limitMs: number,
    { what, short }: { what: string; short: boolean | undefined },
  ): void {
    this.expect(short === true || ms <= limitMs, `${what} took ${formatMilliseconds(ms)}`);
  }

  equal(what: string, found: unknown, wanted: unknown): void {
    const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
    this.expect(one === other, `${what}: ${one}, and should be ${other}`);
  }
}

/** Formats milliseconds for people. */
export const formatMilliseconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** Returns the smallest value at or below which the given share of the values lies; 0 without values. */
export function computeQuantileOfUnsorted(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
