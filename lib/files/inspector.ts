import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import { log } from "#lib/log.ts";
import type { Finding, Job } from "./inspect.ts";

/** Longest work on one file, in milliseconds; a large photograph takes a few seconds. */
const TIME_LIMIT_MS = { image: 25_000, pdf: 10_000, office: 20_000, oldOffice: 5_000, media: 5_000 };
/** How long a job may wait for others. An upload is then better kept as it is than lost. */
const PATIENCE_MS = 90_000;
const IDLE_MS = 60_000;
/** A process ends after so many files, so that whatever it gathered goes with it. */
const JOBS_EACH = 200;

const NOTHING: Finding = { reveals: [], state: "stuck" };

/**
 * What there is in a file beside its content, and the copy without it, made in a process of its own (inspect.ts).
 * Never fails: a file that breaks the process, takes it too long or would have to wait too long is `stuck`, with
 * nothing revealed.
 */
export function inspect(job: Job): Promise<Finding> {
  const lanes = (kept.heedInspectors ??= { images: new Lane(), others: new Lane() });
  return (job.kind === "image" ? lanes.images : lanes.others).ask(job);
}

// Images don't wait for documents, which can take far longer. One of each, also when the bundler loads this
// module more than once.
const kept = globalThis as unknown as { heedInspectors?: { images: Lane; others: Lane } };

/** One process, started when there is something to do, and its queue. */
class Lane {
  #child: ChildProcess | undefined;
  #done = 0;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  ask(job: Job): Promise<Finding> {
    const patience = Date.now() + PATIENCE_MS;
    const mine = this.#last.then(() => (Date.now() > patience ? NOTHING : this.#run(job)));
    this.#last = mine;
    return mine;
  }

  async #run(job: Job): Promise<Finding> {
    clearTimeout(this.#idle);
    if (!this.#child?.connected) this.#child = start();
    const child = this.#child;
    this.#done += 1;
    try {
      const finding = await answerOf(child, { id: this.#done, job });
      if (this.#done >= JOBS_EACH) this.#end();
      else this.#rest(child);
      return finding;
    } catch (error) {
      log.warn({ kind: job.kind, reason: (error as Error).message }, "a file could not be looked into");
      this.#end();
      return NOTHING;
    }
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
  const program = path.join(/* turbopackIgnore: true */ process.cwd(), "lib", "files", "inspect.ts");
  // It gets paths and nothing else: no secret of the environment. What its libraries print might quote a file.
  const child = fork(program, {
    env: { NODE_ENV: "production", ...GLIBC },
    execArgv: ["--max-old-space-size=256", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A process that ends between two jobs is replaced by the next one.
  return child.on("error", () => {});
}

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
      listen(child, "exit", { signal, to: () => reject(new Error("its process ended")) });
      child.send(question, (error) => error && reject(error));
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
