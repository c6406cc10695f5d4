/** Jobs of one lane wait behind one another. `known` lanes get every second turn, however many others there are. */
export type Lane = { name: string; known: boolean };

export const createLaneForUser = (userId: string): Lane => ({ name: `user ${userId}`, known: true });

/** Two fair queues that take turns: one for people and devices that are known, one for everybody else. */
export class LaneQueue<Job> {
  readonly #known: FairQueue<Job>;
  readonly #others: FairQueue<Job>;
  #isKnownNext = true;

  constructor(max: { perLane: number; total: number }) {
    this.#known = new FairQueue(max);
    this.#others = new FairQueue(max);
  }

  /** @returns the rejected job: the new one, or one that it displaced; undefined when nothing was rejected */
  add({ name, known }: Lane, job: Job, weight = 0): Job | undefined {
    return (known ? this.#known : this.#others).add(name, job, weight);
  }

  /** Takes the first job of the lane whose turn it is. */
  next(): Job | undefined {
    const [first, second] = this.#isKnownNext ? [this.#known, this.#others] : [this.#others, this.#known];
    this.#isKnownNext = !this.#isKnownNext;
    return first.next() ?? second.next();
  }

  /** @returns whether the job was still waiting */
  remove({ name, known }: Lane, job: Job): boolean {
    return (known ? this.#known : this.#others).remove(name, job);
  }
}

/**
 * A queue that serves its lanes in turn, however long each is, with a limit per lane and in total. Within a lane, light
 * jobs come before heavy ones, and jobs of the same weight in the order in which they arrived. When the queue is full,
 * the longest lane gives up its last job for one of a shorter lane.
 */
export class FairQueue<Job> {
  // In the order in which they are served.
  readonly #lanes = new Map<string, { job: Job; weight: number }[]>();
  readonly #max: { perLane: number; total: number };
  #size = 0;

  constructor(max: { perLane: number; total: number }) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the rejected job: the new one, or one that it displaced; undefined when nothing was rejected */
  add(lane: string, job: Job, weight = 0): Job | undefined {
    const waiting = this.#lanes.get(lane)?.length ?? 0;
    if (waiting >= this.#max.perLane) return job;
    const displaced = this.#size >= this.#max.total ? this.#takeLastOfLongest(waiting + 1) : undefined;
    if (this.#size >= this.#max.total) return job;
    const all = this.#lanes.get(lane) ?? [];
    const place = all.findIndex((other) => other.weight > weight);
    this.#lanes.set(lane, all.toSpliced(place < 0 ? all.length : place, 0, { job, weight }));
    this.#size += 1;
    return displaced;
  }

  /** Takes the first job of the lane whose turn it is and moves that lane to the end. */
  next(): Job | undefined {
    const [firstLane] = this.#lanes;
    if (!firstLane) return undefined;
    const [lane, [first, ...rest]] = firstLane;
    this.#lanes.delete(lane);
    if (rest.length > 0) this.#lanes.set(lane, rest);
    this.#size -= 1;
    return first?.job;
  }

  /** @returns whether the job was still waiting */
  remove(lane: string, job: Job): boolean {
    const waiting = this.#lanes.get(lane) ?? [];
    const rest = waiting.filter((one) => one.job !== job);
    if (rest.length === waiting.length) return false;
    this.#setLane(lane, rest);
    return true;
  }

  /** Takes the last job of the longest lane, if that lane is longer than `length`. */
  #takeLastOfLongest(length: number): Job | undefined {
    const [longest] = [...this.#lanes].toSorted(([, a], [, b]) => b.length - a.length);
    if (!longest || longest[1].length <= length) return undefined;
    this.#setLane(longest[0], longest[1].slice(0, -1));
    return longest[1].at(-1)?.job;
  }

  /** The remaining jobs of a lane keep the lane's turn. */
  #setLane(lane: string, rest: { job: Job; weight: number }[]): void {
    this.#size -= (this.#lanes.get(lane)?.length ?? 0) - rest.length;
    if (rest.length > 0) this.#lanes.set(lane, rest);
    else this.#lanes.delete(lane);
  }
}
