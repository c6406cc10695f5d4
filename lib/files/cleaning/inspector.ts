import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import { log } from "#lib/observability/log.ts";
import { buildIsolatedProcessEnv } from "#lib/env.ts";
import type { FileCleaningJob, FileCleaningMessage, FileCleaningResult } from "./inspect.ts";
import {
  createFileInspectionBusyError,
  FileInspectionQueue,
  type PersonAwaitingFileInspection,
} from "./inspection-queue.ts";
import { REVEALED_CATEGORIES } from "./reveals.ts";
import { processWide } from "#lib/process-wide.ts";

/** The longest time spent on one file, in milliseconds. A large photograph takes a few seconds. */
const TIME_LIMIT_MS = { image: 25_000, pdf: 10_000, office: 20_000, oldOffice: 5_000, media: 5_000 };
/** The longest time a process may take to load, in milliseconds; the time for its first file counts from then. */
const START_LIMIT_MS = 20_000;
const MAX_IDLE_MS = 60_000;
/** A process exits after this many files, which frees whatever memory it has accumulated. */
const MAX_JOBS_PER_PROCESS = 200;

/**
 * Inspects a file in a separate process (inspect.ts): finds its hidden data and makes the copy without it. A file that
 * crashes the process or exceeds its time limit is `not_inspected`.
 * @throws AppError SERVICE_UNAVAILABLE when the wait would be too long, or no process can be started
 */
export function inspectAndCleanFileInChildProcess(
  job: FileCleaningJob,
  uploader: PersonAwaitingFileInspection,
): Promise<FileCleaningResult> {
  const workers = processWide("inspection workers", createWorkers);
  return (job.kind === "image" ? workers.images : workers.others).inspectFile(job, uploader);
}

/** Images have their own process, so they don't wait for documents, which can take far longer. */
const createWorkers = () => ({ images: new InspectionWorker(), others: new InspectionWorker() });

/** One process, started on demand, and its queue. */
class InspectionWorker {
  readonly #queue = new FileInspectionQueue();
  #child: ChildProcess | undefined;
  #jobsDone = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  inspectFile(job: FileCleaningJob, uploader: PersonAwaitingFileInspection): Promise<FileCleaningResult> {
    return this.#queue.run(uploader, () => this.#runJob(job));
  }

  async #runJob(job: FileCleaningJob): Promise<FileCleaningResult> {
    clearTimeout(this.#idleTimer);
    const child = this.#ensureProcess();
    const isFresh = this.#jobsDone === 0;
    this.#jobsDone += 1;
    try {
      const finding = await requestResult(child, { id: this.#jobsDone, job }, { isFresh });
      if (this.#jobsDone >= MAX_JOBS_PER_PROCESS) this.#killProcess();
      else this.#startIdleTimer(child);
      return finding;
    } catch (error) {
      this.#killProcess();
      // Earlier files may have filled the memory, so the crash counts against this file only if it happens in a fresh
      // process.
      if (error instanceof ProcessEndedError && !isFresh) return this.#runJob(job);
      log.warn({ kind: job.kind, reason: (error as Error).message }, "a file could not be inspected");
      return { state: "not_inspected", reveals: [...REVEALED_CATEGORIES] };
    }
  }

  /** Returns the inspecting process, and starts one if none runs. @throws AppError SERVICE_UNAVAILABLE */
  #ensureProcess(): ChildProcess {
    if (this.#child?.connected) return this.#child;
    const child = startProcess();
    if (child.pid === undefined) {
      log.error("no process can be started to inspect files");
      throw createFileInspectionBusyError();
    }
    this.#jobsDone = 0;
    return (this.#child = child);
  }

  /** An idle child process doesn't keep the server process alive. */
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

/**
 * Environment in which glibc has a single malloc arena, so that it returns the memory of a large image to the system.
 * With one arena for each thread, glibc would keep that memory.
 */
const GLIBC_ENV = { MALLOC_ARENA_MAX: "1" };

function startProcess(): ChildProcess {
  const program = path.join(
    /* turbopackIgnore: true */ process.cwd(),
    "lib",
    "files",
    "cleaning",
    "inspect.ts",
  );
  // The child gets no secret from the environment, and paths in place of files. Its output is discarded, because libraries
  // might quote a file's content.
  const child = fork(program, {
    env: { ...buildIsolatedProcessEnv(), ...GLIBC_ENV },
    execArgv: ["--max-old-space-size=256", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // The next job replaces a process that exits between jobs.
  return child.on("error", () => {});
}

/** The inspecting process was killed or exited. */
class ProcessEndedError extends Error {}

async function requestResult(
  child: ChildProcess,
  request: { id: number; job: FileCleaningJob },
  { isFresh }: { isFresh: boolean },
): Promise<FileCleaningResult> {
  child.ref();
  child.channel?.ref();
  const cleanup = new AbortController();
  const { signal } = cleanup;
  try {
    return await new Promise<FileCleaningResult>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const limitTime = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new Error("took too long")), ms);
      };
      const fileLimitMs = TIME_LIMIT_MS[request.job.kind];
      limitTime(isFresh ? START_LIMIT_MS : fileLimitMs);
      signal.addEventListener("abort", () => clearTimeout(timer));
      listenUntilAborted(child, "message", {
        signal,
        to: (message) => {
          const { finding } = message as FileCleaningMessage;
          if (finding) resolve(finding);
          else limitTime(fileLimitMs);
        },
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
