/**
 * A queue that serves its lanes in turn, however long each is, with a limit per lane and in total. When it is full,
 * the longest lane gives up its last job for one of a shorter lane.
 */
export class FairQueue<Job> {
  // In the order in which they are served.
  readonly #lanes = new Map<string, Job[]>();
  readonly #max: { perLane: number; total: number };
  #size = 0;

  constructor(max: { perLane: number; total: number }) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the rejected job: the new one, or one that it displaced; undefined when nothing was rejected */
  add(lane: string, job: Job): Job | undefined {
    const waiting = this.#lanes.get(lane)?.length ?? 0;
    if (waiting >= this.#max.perLane) return job;
    const displaced = this.#size >= this.#max.total ? this.#takeLastOfLongest(waiting + 1) : undefined;
    if (this.#size >= this.#max.total) return job;
    this.#lanes.set(lane, [...(this.#lanes.get(lane) ?? []), job]);
    this.#size += 1;
    return displaced;
  }

  /** Takes the first job of the lane whose turn it is and moves that lane to the end. */
  next(): Job | undefined {
    const [firstLane] = this.#lanes;
    if (!firstLane) return undefined;
    const [lane, [job, ...rest]] = firstLane;
    this.#lanes.delete(lane);
    if (rest.length > 0) this.#lanes.set(lane, rest);
    this.#size -= 1;
    return job;
  }

  /** @returns whether the job was still waiting */
  remove(lane: string, job: Job): boolean {
    const waiting = this.#lanes.get(lane) ?? [];
    const rest = waiting.filter((one) => one !== job);
    if (rest.length === waiting.length) return false;
    this.#setLane(lane, rest);
    return true;
  }

  /** Takes the last job of the longest lane, if that lane is longer than `length`. */
  #takeLastOfLongest(length: number): Job | undefined {
    const [longest] = [...this.#lanes].toSorted(([, a], [, b]) => b.length - a.length);
    if (!longest || longest[1].length <= length) return undefined;
    this.#setLane(longest[0], longest[1].slice(0, -1));
    return longest[1].at(-1);
  }

  /** The remaining jobs of a lane keep the lane's turn. */
  #setLane(lane: string, rest: Job[]): void {
    this.#size -= (this.#lanes.get(lane)?.length ?? 0) - rest.length;
    if (rest.length > 0) this.#lanes.set(lane, rest);
    else this.#lanes.delete(lane);
  }
}
