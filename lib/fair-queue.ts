/** Jobs of one lane wait behind one another. `known` lanes get every second turn, however many others there are. */
export type Lane = { name: string; known: boolean };

export const createLaneForUser = (userId: string): Lane => ({ name: `user ${userId}`, known: true });

/** A job's place in a queue. */
export type QueuePlace = {
  /** That of the signed-in person or known device, or of the address of anybody else. */
  lane: Lane;
  /** In a lane, light jobs come before heavy ones, and those of the same weight in the order in which they arrived. */
  weight?: number;
  /** How long, in milliseconds, the jobs with this budget may still wait in total. Waiting reduces it. */
  waitBudget?: { leftMs: number };
  /** Gives the place up. */
  signal?: AbortSignal;
};

type QueueOptions = {
  /** The most jobs that run at a time, and of those the most of one lane. */
  running: { total: number; perLane: number };
  /** The most jobs that wait: in all known lanes or in all others, and in one lane. */
  waiting: { total: number; perLane: number };
  /** Creates the error of a job that finds no place, or waits too long. */
  createBusyError: () => Error;
};

type Job = { weight: number; start: () => void; refuse: () => void };
/** In the order in which they are served. */
type WaitingLanes = Map<string, Job[]>;

/**
 * Runs jobs, and lets them wait in lanes that take turns, however long each is: whoever sends many waits behind their
 * own. When the queue is full, the longest lane gives up its last job for one of a shorter lane. In memory only.
 */
export class FairQueue {
  readonly #options: QueueOptions;
  readonly #known: WaitingLanes = new Map();
  readonly #others: WaitingLanes = new Map();
  readonly #runningByLane = new Map<string, number>();
  #running = 0;
  #isKnownNext = true;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Runs a job when it is its lane's turn. @throws the busy error of the queue, and what the job throws */
  async run<Result>(place: QueuePlace, work: () => Promise<Result>): Promise<Result> {
    const { name } = place.lane;
    if (this.#mayRun(name)) this.#countRunning(name, 1);
    else await this.#waitForTurn(place);
    try {
      return await work();
    } finally {
      this.#countRunning(name, -1);
      this.#startNext();
    }
  }

  #mayRun(lane: string): boolean {
    const { total, perLane } = this.#options.running;
    return this.#running < total && (this.#runningByLane.get(lane) ?? 0) < perLane;
  }

  #countRunning(lane: string, change: 1 | -1): void {
    const running = (this.#runningByLane.get(lane) ?? 0) + change;
    if (running > 0) this.#runningByLane.set(lane, running);
    else this.#runningByLane.delete(lane);
    this.#running += change;
  }

  async #waitForTurn({ lane, weight = 0, waitBudget, signal }: QueuePlace): Promise<void> {
    const since = Date.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const job = { weight, start: resolve, refuse: () => reject(this.#options.createBusyError()) };
    const giveUp = () => this.#remove(lane, job) && job.refuse();
    const timer = waitBudget && setTimeout(giveUp, Math.max(0, waitBudget.leftMs)).unref();
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#add(lane, job)?.refuse();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      if (waitBudget) waitBudget.leftMs -= Date.now() - since;
    }
  }

  /** Starts the first job of the lane whose turn it is, and moves that lane to the end. */
  #startNext(): void {
    const [first, second] = this.#isKnownNext ? [this.#known, this.#others] : [this.#others, this.#known];
    this.#isKnownNext = !this.#isKnownNext;
    for (const lanes of [first, second])
      for (const [name, [job, ...rest]] of lanes) {
        if (!job || !this.#mayRun(name)) continue;
        lanes.delete(name);
        if (rest.length > 0) lanes.set(name, rest);
        this.#countRunning(name, 1);
        return job.start();
      }
  }

  /** @returns the refused job: the new one, or one that it displaced; undefined when nothing was refused */
  #add({ name, known }: Lane, job: Job): Job | undefined {
    const lanes = known ? this.#known : this.#others;
    const jobs = lanes.get(name) ?? [];
    const { total, perLane } = this.#options.waiting;
    if (jobs.length >= perLane) return job;
    const displaced = countJobs(lanes) >= total ? takeLastOfLongest(lanes, jobs.length + 1) : undefined;
    if (countJobs(lanes) >= total) return job;
    const place = jobs.findIndex((other) => other.weight > job.weight);
    lanes.set(name, jobs.toSpliced(place < 0 ? jobs.length : place, 0, job));
    return displaced;
  }

  /** @returns whether the job was still waiting */
  #remove({ name, known }: Lane, job: Job): boolean {
    const lanes = known ? this.#known : this.#others;
    const jobs = lanes.get(name) ?? [];
    if (!jobs.includes(job)) return false;
    setLane(
      lanes,
      name,
      jobs.filter((one) => one !== job),
    );
    return true;
  }
}

const countJobs = (lanes: WaitingLanes): number =>
  lanes.values().reduce((count, jobs) => count + jobs.length, 0);

/** Takes the last job of the longest lane, if that lane is longer than `length`. */
function takeLastOfLongest(lanes: WaitingLanes, length: number): Job | undefined {
  const [longest] = [...lanes].toSorted(([, a], [, b]) => b.length - a.length);
  if (!longest || longest[1].length <= length) return undefined;
  setLane(lanes, longest[0], longest[1].slice(0, -1));
  return longest[1].at(-1);
}

/** The remaining jobs of a lane keep the lane's turn. */
function setLane(lanes: WaitingLanes, name: string, rest: Job[]): void {
  if (rest.length > 0) lanes.set(name, rest);
  else lanes.delete(name);
}
