import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import { log } from "#lib/observability/log.ts";
import type { Finding, Job } from "./inspect.ts";
import { inspectionBusy, InspectionQueue, type Requester } from "./inspection-queue.ts";
import { REVEALS } from "./reveals.ts";

/** Longest work on one file, in milliseconds; a large photograph takes a few seconds. */
const TIME_LIMIT_MS = { image: 25_000, pdf: 10_000, office: 20_000, oldOffice: 5_000, media: 5_000 };
const IDLE_MS = 60_000;
/** A process ends after so many files, so that whatever it gathered goes with it. */
const JOBS_EACH = 200;

/**
 * What there is in a file beside its content, and the copy without it, made in a process of its own (inspect.ts). A file
 * that breaks the process or takes it too long is `not_inspected`.
 * @throws AppError SERVICE_UNAVAILABLE when it would have to wait too long for others, or no process can be started
 */
export function inspect(job: Job, requester: Requester): Promise<Finding> {
  const lanes = (kept.heedInspectors ??= { images: new Lane(), others: new Lane() });
  return (job.kind === "image" ? lanes.images : lanes.others).inspect(job, requester);
}

// Images don't wait for documents, which can take far longer. One of each, also when the bundler loads this
// module more than once.
const kept = globalThis as unknown as { heedInspectors?: { images: Lane; others: Lane } };

/** One process, started when there is something to do, and its queue. */
class Lane {
  readonly #queue = new InspectionQueue();
  #child: ChildProcess | undefined;
  #done = 0;
  #idle: NodeJS.Timeout | undefined;

  inspect(job: Job, requester: Requester): Promise<Finding> {
    return this.#queue.run(requester, () => this.#run(job));
  }

  async #run(job: Job): Promise<Finding> {
    clearTimeout(this.#idle);
    const child = this.#ready();
    const isFresh = this.#done === 0;
    this.#done += 1;
    try {
      const finding = await answerOf(child, { id: this.#done, job });
      if (this.#done >= JOBS_EACH) this.#end();
      else this.#rest(child);
      return finding;
    } catch (error) {
      this.#end();
      // Files before this one may have filled the memory: it counts only what a file does to a process of its own.
      if (error instanceof ProcessEnded && !isFresh) return this.#run(job);
      log.warn({ kind: job.kind, reason: (error as Error).message }, "a file could not be inspected");
      return { state: "not_inspected", reveals: [...REVEALS] };
    }
  }

  /** @throws AppError SERVICE_UNAVAILABLE */
  #ready(): ChildProcess {
    if (this.#child?.connected) return this.#child;
    const child = start();
    if (child.pid === undefined) {
      log.error("no process can be started to inspect files");
      throw inspectionBusy();
    }
    this.#done = 0;
    return (this.#child = child);
  }

  /** Waiting for the next job keeps no process of ours alive. */
  #rest(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
    this.#done = 0;
  }
}
/** What a photograph took is given back, and not kept once for each thread. */
const GLIBC = { MALLOC_ARENA_MAX: "1" };

function start(): ChildProcess {
  const program = path.join(
    /* turbopackIgnore: true */ process.cwd(),
    "lib",
    "files",
    "cleaning",
    "inspect.ts",
  );
  // It gets paths and nothing else: no secret of the environment. What its libraries print might quote a file.
  const child = fork(program, {
    env: { NODE_ENV: "production", ...GLIBC },
    execArgv: ["--max-old-space-size=256", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A process that ends between two jobs is replaced by the next one.
  return child.on("error", () => {});
}

/** The process that inspects was killed, or ended by itself. */
class ProcessEnded extends Error {}

async function answerOf(child: ChildProcess, question: { id: number; job: Job }): Promise<Finding> {
  child.ref();
  child.channel?.ref();
  const ended = new AbortController();
  const { signal } = ended;
  try {
    return await new Promise<Finding>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("took too long")), TIME_LIMIT_MS[question.job.kind]);
      signal.addEventListener("abort", () => clearTimeout(timer));
      listen(child, "message", { signal, to: (answer) => resolve((answer as { finding: Finding }).finding) });
      listen(child, "exit", { signal, to: () => reject(new ProcessEnded("its process ended")) });
      child.send(question, (error) => error && reject(new ProcessEnded("its process is gone")));
    });
  } finally {
    ended.abort();
  }
}

function listen(
  child: ChildProcess,
  event: "message" | "exit",
  { signal, to }: { signal: AbortSignal; to: (value: unknown) => void },
): void {
  child.on(event, to);
  signal.addEventListener("abort", () => child.off(event, to));
}
