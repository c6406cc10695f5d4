/** A file that was sent. `name` is the stored name for an anonymous report. */
export type SentFile = { name: string; sha256: string };

/** A report that was sent under a unique title. `id` is set once the service has acknowledged it. */
export type SentReport = { title: string; files: SentFile[]; id?: string; anonymous: boolean };

/** A status change that was sent with a unique note. `acknowledged` is set once the service has acknowledged it. */
export type SentMove = { note: string; acknowledged: boolean };

/** Files that were added to an existing report. */
export type SentFiles = { files: SentFile[]; acknowledged: boolean };

export type RecordedResponse = {
  what: string;
  status: number;
  code: string;
  ms: number;
  /** When the request was sent, in milliseconds since 1970. */
  at: number;
  retryAfter: boolean;
};

/** What the service promised, how it responded, and what was found that must not be. */
export class Ledger {
  readonly reports: SentReport[] = [];
  readonly moves: SentMove[] = [];
  readonly added: SentFiles[] = [];
  readonly failures: string[] = [];
  readonly responses: RecordedResponse[] = [];
  /** Number of requests whose connection broke. */
  broken = 0;
  /** Longest wait for a response or a broken connection, in milliseconds. */
  longestMs = 0;
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Forgets responses and failures of an earlier scenario. Its promises stay. */
  turnPage(): void {
    this.responses.length = this.failures.length = this.broken = this.longestMs = 0;
  }

  figure(what: string, value: string | number): void {
    this.#say(`  ${what}: ${value}`);
  }

  /** Records a failure unless `holds` is true. */
  expect(holds: boolean, otherwise: string): void {
    if (holds) return;
    this.failures.push(otherwise);
    this.figure("NOT AS IT SHOULD BE", otherwise);
  }

  equal(what: string, found: unknown, wanted: unknown): void {
    const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
    this.expect(one === other, `${what}: ${one}, and should be ${other}`);
  }

  get acknowledged(): SentReport[] {
    return this.reports.filter(({ id }) => id !== undefined);
  }

  get errors(): RecordedResponse[] {
    return this.responses.filter(({ status }) => status >= 500);
  }

  /** Returns the responses to requests of a period, given in milliseconds since 1970. */
  between(from: number, to = Infinity): RecordedResponse[] {
    return this.responses.filter(({ at }) => at >= from && at <= to);
  }

  /** Returns when the first report was taken whose request was sent since then; Infinity without one. */
  firstReportSince(from: number): number {
    const taken = this.between(from).filter(({ what, status }) => what === "report" && status === 201);
    return Math.min(...taken.map(({ at, ms }) => at + ms));
  }

  /** Counts responses by status, such as `40 × 201, 7 × 503 SERVICE_UNAVAILABLE`. */
  statuses(responses: readonly RecordedResponse[] = this.responses): string {
    const counts = new Map<string, number>();
    for (const { status, code } of responses) {
      const name = status < 400 ? String(status) : `${status} ${code}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].map(([status, count]) => `${count} × ${status}`).join(", ") || "none";
  }
}

/** Formats milliseconds for people. */
export const formatMs = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** Returns the smallest value at or below which the given share of the values lies; 0 without values. */
export function computeQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
