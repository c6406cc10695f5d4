import fs from "node:fs";

/**
 * What no code of ours expected (docs/operating.md, "When something breaks"). One line in the log says of what kind it
 * was and where; what it says itself is left out, since it may quote what somebody wrote.
 */

const EXCEPTION_EVENT = "uncaughtException";
const REJECTION_EVENT = "unhandledRejection";
/** Under this name Next looks for who hears of rejections, before it does so itself and prints them whole. */
const NEXT_REJECTION_LISTENER = Symbol.for("next.unhandledRejectionListener");
const MAX_STACK_FRAMES = 12;

/**
 * A promise that failed while nobody waited for it left nothing undone that somebody relies on: the process goes on.
 * After an exception that nobody caught, nobody knows what it left half done: `leave` is called, once.
 */
export function handleUncaughtErrors(onFatalError: () => void): void {
  let isLeaving = false;
  const onException = (thrown: unknown) => {
    if (isLostConnection(thrown))
      return writeErrorLine("error", "a lost connection that nobody listened to", thrown);
    writeErrorLine("fatal", "an exception that nobody caught", thrown);
    if (!isLeaving) onFatalError();
    isLeaving = true;
  };
  const onRejection = (reason: unknown) =>
    writeErrorLine("error", "a rejection that nobody waited for", reason);
  process.on(EXCEPTION_EVENT, onException);
  process.on(REJECTION_EVENT, onRejection);
  // Whoever read the log has gone: the service goes on without one. Telling of it there would fail in the same way.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  (globalThis as { [NEXT_REJECTION_LISTENER]?: unknown })[NEXT_REJECTION_LISTENER] = onRejection;
  process.on("newListener", (event, listener) => {
    // Next's would print the whole of it beside our line.
    if (event === EXCEPTION_EVENT && listener !== onException)
      queueMicrotask(() => process.off(EXCEPTION_EVENT, listener));
  });
}

/** Anybody can break a connection at will: it must not be a way to end the process, and leaves nothing half done. */
const isLostConnection = (thrown: unknown): boolean =>
  LOST_CONNECTION_CODES.has(String((thrown as { code?: unknown } | null)?.code)) &&
  thrown instanceof Error &&
  "syscall" in thrown;

const LOST_CONNECTION_CODES = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ETIMEDOUT"]);

/** By hand and at once: the log reads the environment when it is loaded, and may be what is broken. */
function writeErrorLine(level: string, msg: string, thrown: unknown): void {
  const line = `${JSON.stringify({ level, time: new Date().toISOString(), err: redactError(thrown), msg })}\n`;
  try {
    fs.writeSync(process.stdout.fd, line);
  } catch {
    // Nobody reads as fast as this is written.
    process.stdout.write(line);
  }
}

/** The class, a code, and where: nothing that could quote a value. */
export function redactError(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { name, message, stack = "", code } = thrown as Error & { code?: unknown };
  const frames = (message ? stack.split(message).at(-1) : stack)
    ?.split("\n")
    .filter((line) => STACK_FRAME.test(line));
  return {
    name: toSafeWord(name),
    code: toSafeWord(code),
    stack: frames?.slice(0, MAX_STACK_FRAMES).map((line) => line.trim()),
  };
}

const STACK_FRAME = /^\s+at .*(:\d+:\d+|<anonymous>|native)\)?$/;
const toSafeWord = (value: unknown) =>
  typeof value === "string" && /^\w{1,60}$/.test(value) ? value : undefined;
