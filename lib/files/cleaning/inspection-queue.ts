import { AppError } from "#lib/operation/errors.ts";

/** The person whose file is waiting, and their event. Held in memory only until the file has been inspected. */
export type PersonAwaitingFileInspection = {
  personId: string;
  eventId: string;
  /** How long, in milliseconds, the files of one request may still wait in total. Waiting reduces it. */
  waitBudget: { leftMs: number };
  /** Whether the report is anonymous. */
  anonymous?: boolean;
};

/** The most files that may wait: of one person, of one event, and in total. */
type FileInspectionQueueLimits = { person: number; event: number; total: number };

const DEFAULT_QUEUE_LIMITS: FileInspectionQueueLimits = { person: 20, event: 60, total: 200 };
/** The longest total wait of one request; proxies wait longer for a response (60 s by default). */
const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SECONDS = 20;

type WaitingInspection = {
  uploader: PersonAwaitingFileInspection;
  since: number;
  timer: NodeJS.Timeout;
  start: () => void;
};

/**
 * A queue in which files wait for inspection, which handles one at a time. Events take turns, and within an event its
 * people take turns, so a person who sends many files delays only themselves.
 */
export class FileInspectionQueue {
  readonly #limits: FileInspectionQueueLimits;
  /** Keyed by event, then by person, each in the order of their turns. */
  readonly #events = new Map<string, Map<string, WaitingInspection[]>>();
  #isRunning = false;

  constructor(limits: FileInspectionQueueLimits = DEFAULT_QUEUE_LIMITS) {
    this.#limits = limits;
  }

  /**
   * Runs the work when it is the uploader's turn.
   * @throws AppError SERVICE_UNAVAILABLE when too many files are waiting, or the uploader has waited too long
   */
  async run<Result>(uploader: PersonAwaitingFileInspection, work: () => Promise<Result>): Promise<Result> {
    await this.#waitForTurn(uploader);
    try {
      return await work();
    } finally {
      this.#isRunning = false;
      this.#startNext();
    }
  }

  #waitForTurn(uploader: PersonAwaitingFileInspection): Promise<void> {
    if (!this.#isRunning) {
      this.#isRunning = true;
      return Promise.resolve();
    }
    if (this.#isFullFor(uploader)) return Promise.reject(createFileInspectionBusyError());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          this.#remove(waiting);
          reject(createFileInspectionBusyError());
        },
        Math.max(0, uploader.waitBudget.leftMs),
      );
      const waiting: WaitingInspection = { uploader, since: Date.now(), timer, start: resolve };
      this.#add(waiting);
    });
  }

  #isFullFor({ personId, eventId }: PersonAwaitingFileInspection): boolean {
    const all = [...this.#events].flatMap(([event, people]) =>
      [...people].map(([person, waiting]) => ({ event, person, count: waiting.length })),
    );
    const sum = (counts: typeof all) => counts.reduce((total, { count }) => total + count, 0);
    return (
      sum(all) >= this.#limits.total ||
      sum(all.filter(({ event }) => event === eventId)) >= this.#limits.event ||
      sum(all.filter(({ person }) => person === personId)) >= this.#limits.person
    );
  }

  #add(waiting: WaitingInspection): void {
    const { eventId, personId } = waiting.uploader;
    const people = this.#events.get(eventId) ?? new Map<string, WaitingInspection[]>();
    people.set(personId, [...(people.get(personId) ?? []), waiting]);
    this.#events.set(eventId, people);
  }

  #startNext(): void {
    const waiting = this.#takeNext();
    if (!waiting) return;
    clearTimeout(waiting.timer);
    waiting.uploader.waitBudget.leftMs -= Date.now() - waiting.since;
    this.#isRunning = true;
    waiting.start();
  }

  /** The person whose turn it was moves to the end of the order, and so does the event. */
  #takeNext(): WaitingInspection | undefined {
    const [event] = this.#events;
    if (!event) return undefined;
    const [eventId, people] = event;
    const [[personId, [first, ...others]]] = people as unknown as [[string, WaitingInspection[]]];
    people.delete(personId);
    if (others.length > 0) people.set(personId, others);
    this.#events.delete(eventId);
    if (people.size > 0) this.#events.set(eventId, people);
    return first;
  }

  #remove(waiting: WaitingInspection): void {
    const { eventId, personId } = waiting.uploader;
    const people = this.#events.get(eventId);
    const others = people?.get(personId)?.filter((one) => one !== waiting) ?? [];
    if (others.length > 0) people?.set(personId, others);
    else people?.delete(personId);
    if (people?.size === 0) this.#events.delete(eventId);
  }
}

/** Creates the total waiting time of one request. */
export const createWaitBudget = (): PersonAwaitingFileInspection["waitBudget"] => ({ leftMs: MAX_WAIT_MS });

export const createFileInspectionBusyError = (): AppError =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "inspectionBusy",
    { seconds: RETRY_AFTER_SECONDS },
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
