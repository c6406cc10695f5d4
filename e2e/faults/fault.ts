/** A fault that is brought about with real processes, and what came of it. */
export type Fault = {
  /** What `--only` calls it. */
  name: string;
  title: string;
  /** The number of kills matters to it. */
  kills?: true;
  run(options: FaultOptions): Promise<Findings>;
};

export type FaultOptions = {
  /** How often the service is killed, where a fault kills it. */
  kills: number;
  /** What chance is made of: the same seed gives the same moments and actions, as far as the machine plays along. */
  seed: number;
  /** The part of it that `npm test` has time for. */
  short?: boolean;
  say(line: string): void;
};

export type Figure = { what: string; value: string };

/** What was seen: figures for the table, and what should have been otherwise. */
export class Findings {
  readonly figures: Figure[] = [];
  readonly failures: string[] = [];
  /** Why it could not be tried here; then it is neither passed nor failed. */
  skipped: string | undefined;
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  figure(what: string, value: string | number): void {
    this.figures.push({ what, value: String(value) });
    this.#say(`  ${what}: ${value}`);
  }

  /** Notes a failure unless `holds`. */
  expect(holds: boolean, otherwise: string): void {
    if (holds) return;
    this.failures.push(otherwise);
    this.#say(`  NOT AS IT SHOULD BE: ${otherwise}`);
  }

  equal(what: string, found: unknown, wanted: unknown): void {
    const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
    this.expect(one === other, `${what}: ${one}, and should be ${other}`);
  }
}

/** Milliseconds as people read them. */
export const spell = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** The given share of the values lies at or below this one; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
