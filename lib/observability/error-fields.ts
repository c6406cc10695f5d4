const MAX_STACK_FRAMES = 12;

/** Returns the error's class, code and stack frames: nothing that could quote a value. */
export function buildErrorLogFields(thrown: unknown): Record<string, unknown> {
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
