import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import { log } from "#lib/observability/log.ts";
import { buildIsolatedProcessEnv } from "#lib/env.ts";
import type { FileCleaningJob, FileCleaningMessage, FileCleaningResult } from "./inspect.ts";
import {
  createFileInspectionBusyError,
  createFileInspectionQueue,
  type FileInspectionPlace,
} from "./inspection-queue.ts";
import { REVEALED_CATEGORIES } from "./reveals.ts";
import { processWide } from "#lib/process-wide.ts";

/** The longest time spent on one file, in milliseconds; that of an image until its size is known. */
const TIME_LIMIT_MS = { image: 10_000, pdf: 10_000, office: 20_000, oldOffice: 5_000, media: 5_000 };
/** What an image may take at least, and for each pixel: a photograph of a phone takes a tenth of that. */
const MIN_IMAGE_MS = 10_000;
const PIXELS_PER_MS = 4_000;

/** Returns the longest time spent on an image, in milliseconds: a small one that takes long is made to. */
export const computeImageTimeLimitMs = (pixels: number): number =>
  MIN_IMAGE_MS + Math.ceil(pixels / PIXELS_PER_MS);
/**
 * The longest time, in milliseconds, that a process may take to load and to load the reader of a format: the time for the
 * first file of each format counts from then, so that no file is refused because the computer is busy.
 */
const LOAD_LIMIT_MS = 20_000;
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
  place: FileInspectionPlace,
): Promise<FileCleaningResult> {
  const workers = processWide("inspection workers", createWorkers);
  return (job.kind === "image" ? workers.images : workers.others).inspectFile(job, place);
}

/** Images have their own process, so they don't wait for documents, which can take far longer. */
const createWorkers = () => ({ images: new InspectionWorker(), others: new InspectionWorker() });

/** One process, started on demand, and its queue. */
class InspectionWorker {
  readonly #queue = createFileInspectionQueue();
  #child: ChildProcess | undefined;
  #jobsDone = 0;
  /** The kinds whose reader the process has loaded. */
  readonly #loadedKinds = new Set<FileCleaningJob["kind"]>();
  #idleTimer: NodeJS.Timeout | undefined;

  inspectFile(job: FileCleaningJob, place: FileInspectionPlace): Promise<FileCleaningResult> {
    return this.#queue.run(place, () => this.#runJob(job));
  }

  async #runJob(job: FileCleaningJob): Promise<FileCleaningResult> {
    clearTimeout(this.#idleTimer);
    const child = this.#ensureProcess();
    const isFresh = this.#jobsDone === 0;
    this.#jobsDone += 1;
    try {
      const isLoaded = this.#loadedKinds.has(job.kind);
      const finding = await requestResult(child, { id: this.#jobsDone, job }, { isLoaded });
      this.#loadedKinds.add(job.kind);
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
    this.#resetCounts();
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
    this.#resetCounts();
  }

  #resetCounts(): void {
    this.#jobsDone = 0;
    this.#loadedKinds.clear();
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
  { isLoaded }: { isLoaded: boolean },
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
      limitTime(isLoaded ? fileLimitMs : LOAD_LIMIT_MS);
      signal.addEventListener("abort", () => clearTimeout(timer));
      listenUntilAborted(child, "message", {
        signal,
        to: (message) => {
          const { finding, pixels } = message as FileCleaningMessage;
          if (finding) resolve(finding);
          else limitTime(pixels === undefined ? fileLimitMs : computeImageTimeLimitMs(pixels));
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
