import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import { log } from "#lib/observability/log.ts";
import type { InspectionResult, InspectionJob } from "./inspect.ts";
import { inspectionBusy, InspectionQueue, type InspectionRequester } from "./inspection-queue.ts";
import { REVEALS } from "./reveals.ts";

/** Longest work on one file, in milliseconds; a large photograph takes a few seconds. */
const TIME_LIMIT_MS = { image: 25_000, pdf: 10_000, office: 20_000, oldOffice: 5_000, media: 5_000 };
const MAX_IDLE_MS = 60_000;
/** A process ends after so many files, so that whatever it gathered goes with it. */
const MAX_JOBS_PER_PROCESS = 200;

/**
 * What there is in a file beside its content, and the copy without it, made in a process of its own (inspect.ts). A file
 * that breaks the process or takes it too long is `not_inspected`.
 * @throws AppError SERVICE_UNAVAILABLE when it would have to wait too long for others, or no process can be started
 */
export function inspectFile(job: InspectionJob, requester: InspectionRequester): Promise<InspectionResult> {
  const workers = (globalScope.heedInspectors ??= {
    images: new InspectionWorker(),
    others: new InspectionWorker(),
  });
  return (job.kind === "image" ? workers.images : workers.others).inspectFile(job, requester);
}

// Images don't wait for documents, which can take far longer. One of each, also when the bundler loads this
// module more than once.
const globalScope = globalThis as unknown as {
  heedInspectors?: { images: InspectionWorker; others: InspectionWorker };
};

/** One process, started when there is something to do, and its queue. */
class InspectionWorker {
  readonly #queue = new InspectionQueue();
  #child: ChildProcess | undefined;
  #jobsDone = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  inspectFile(job: InspectionJob, requester: InspectionRequester): Promise<InspectionResult> {
    return this.#queue.run(requester, () => this.#runJob(job));
  }

  async #runJob(job: InspectionJob): Promise<InspectionResult> {
    clearTimeout(this.#idleTimer);
    const child = this.#ensureProcess();
    const isFresh = this.#jobsDone === 0;
    this.#jobsDone += 1;
    try {
      const finding = await requestResult(child, { id: this.#jobsDone, job });
      if (this.#jobsDone >= MAX_JOBS_PER_PROCESS) this.#killProcess();
      else this.#startIdleTimer(child);
      return finding;
    } catch (error) {
      this.#killProcess();
      // Files before this one may have filled the memory: it counts only what a file does to a process of its own.
      if (error instanceof ProcessEndedError && !isFresh) return this.#runJob(job);
      log.warn({ kind: job.kind, reason: (error as Error).message }, "a file could not be inspected");
      return { state: "not_inspected", reveals: [...REVEALS] };
    }
  }

  /** @throws AppError SERVICE_UNAVAILABLE */
  #ensureProcess(): ChildProcess {
    if (this.#child?.connected) return this.#child;
    const child = startProcess();
    if (child.pid === undefined) {
      log.error("no process can be started to inspect files");
      throw inspectionBusy();
    }
    this.#jobsDone = 0;
    return (this.#child = child);
  }

  /** Waiting for the next job keeps no process of ours alive. */
  #startIdleTimer(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    this.#idleTimer = setTimeout(() => this.#killProcess(), MAX_IDLE_MS).unref();
  }

  #killProcess(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
    this.#jobsDone = 0;
  }
}
/** What a photograph took is given back, and not kept once for each thread. */
const GLIBC_ENV = { MALLOC_ARENA_MAX: "1" };

function startProcess(): ChildProcess {
  const program = path.join(
    /* turbopackIgnore: true */ process.cwd(),
    "lib",
    "files",
    "cleaning",
    "inspect.ts",
  );
  // It gets paths and nothing else: no secret of the environment. What its libraries print might quote a file.
  const child = fork(program, {
    env: { NODE_ENV: "production", ...GLIBC_ENV },
    execArgv: ["--max-old-space-size=256", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A process that ends between two jobs is replaced by the next one.
  return child.on("error", () => {});
}

/** The process that inspects was killed, or ended by itself. */
class ProcessEndedError extends Error {}

async function requestResult(
  child: ChildProcess,
  request: { id: number; job: InspectionJob },
): Promise<InspectionResult> {
  child.ref();
  child.channel?.ref();
  const cleanup = new AbortController();
  const { signal } = cleanup;
  try {
    return await new Promise<InspectionResult>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("took too long")), TIME_LIMIT_MS[request.job.kind]);
      signal.addEventListener("abort", () => clearTimeout(timer));
      listenUntilAborted(child, "message", {
        signal,
        to: (answer) => resolve((answer as { finding: InspectionResult }).finding),
      });
      listenUntilAborted(child, "exit", {
        signal,
        to: () => reject(new ProcessEndedError("its process ended")),
      });
      child.send(request, (error) => error && reject(new ProcessEndedError("its process is gone")));
    });
  } finally {
    cleanup.abort();
  }
}

function listenUntilAborted(
  child: ChildProcess,
  event: "message" | "exit",
  { signal, to }: { signal: AbortSignal; to: (value: unknown) => void },
): void {
  child.on(event, to);
  signal.addEventListener("abort", () => child.off(event, to));
}
