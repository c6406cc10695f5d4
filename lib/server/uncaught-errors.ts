import fs from "node:fs";

/**
 * What no code of ours expected (docs/operating.md, "When something breaks"). One line in the log says of what kind it
 * was and where; what it says itself is left out, since it may quote what somebody wrote.
 */

const EXCEPTION = "uncaughtException";
const REJECTION = "unhandledRejection";
/** Under this name Next looks for who hears of rejections, before it does so itself and prints them whole. */
const NEXTS_LISTENER = Symbol.for("next.unhandledRejectionListener");
const MOST_FRAMES = 12;

/**
 * A promise that failed while nobody waited for it left nothing undone that somebody relies on: the process goes on.
 * After an exception that nobody caught, nobody knows what it left half done: `leave` is called, once.
 */
export function watchUnexpected(leave: () => void): void {
  let leaving = false;
  const onException = (thrown: unknown) => {
    if (isLostConnection(thrown)) return tell("error", "a lost connection that nobody listened to", thrown);
    tell("fatal", "an exception that nobody caught", thrown);
    if (!leaving) leave();
    leaving = true;
  };
  const onRejection = (reason: unknown) => tell("error", "a rejection that nobody waited for", reason);
  process.on(EXCEPTION, onException);
  process.on(REJECTION, onRejection);
  // Whoever read the log has gone: the service goes on without one. Telling of it there would fail in the same way.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  (globalThis as { [NEXTS_LISTENER]?: unknown })[NEXTS_LISTENER] = onRejection;
  process.on("newListener", (event, listener) => {
    // Next's would print the whole of it beside our line.
    if (event === EXCEPTION && listener !== onException)
      queueMicrotask(() => process.off(EXCEPTION, listener));
  });
}

/** Anybody can break a connection at will: it must not be a way to end the process, and leaves nothing half done. */
const isLostConnection = (thrown: unknown): boolean =>
  LOST.has(String((thrown as { code?: unknown } | null)?.code)) &&
  thrown instanceof Error &&
  "syscall" in thrown;

const LOST = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ETIMEDOUT"]);

/** By hand and at once: the log reads the environment when it is loaded, and may be what is broken. */
function tell(level: string, msg: string, thrown: unknown): void {
  const line = `${JSON.stringify({ level, time: new Date().toISOString(), err: withoutValues(thrown), msg })}\n`;
  try {
    fs.writeSync(process.stdout.fd, line);
  } catch {
    // Nobody reads as fast as this is written.
    process.stdout.write(line);
  }
}

/** The class, a code, and where: nothing that could quote a value. */
export function withoutValues(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { name, message, stack = "", code } = thrown as Error & { code?: unknown };
  const frames = (message ? stack.split(message).at(-1) : stack)
    ?.split("\n")
    .filter((line) => FRAME.test(line));
  return {
    name: word(name),
    code: word(code),
    stack: frames?.slice(0, MOST_FRAMES).map((line) => line.trim()),
  };
}

const FRAME = /^\s+at .*(:\d+:\d+|<anonymous>|native)\)?$/;
const word = (value: unknown) => (typeof value === "string" && /^\w{1,60}$/.test(value) ? value : undefined);
