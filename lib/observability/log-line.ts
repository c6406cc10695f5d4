import { buildErrorLogFields } from "#lib/observability/error-fields.ts";

/**
 * Writes a log line without the logger, for the start command, which logs before the environment may be read.
 * @param message holds no personal data, except for the links that local mode prints
 */
export function writeLogLineWithoutLogger(level: "info" | "warn", message: string): void {
  writeLine({ level, time: new Date().toISOString(), msg: message });
}

const CONSOLE_METHODS = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
  trace: "warn",
};

/**
 * Turns what libraries print to the console, and warnings of Node, into log lines. Only the kind of an error and the
 * place in the code are kept: the text may quote what somebody wrote.
 */
export function redirectConsole(): void {
  for (const [method, level] of Object.entries(CONSOLE_METHODS))
    console[method as keyof typeof CONSOLE_METHODS] = (...values: unknown[]) =>
      writeConsoleLine(level, values.find((value) => value instanceof Error) ?? new Error("printed here"));
  process.removeAllListeners("warning");
  process.on("warning", (warning) => writeConsoleLine("warn", warning));
}

const writeConsoleLine = (level: string, error: unknown): void =>
  writeLine({
    level,
    time: new Date().toISOString(),
    source: "console",
    err: buildErrorLogFields(error),
    msg: "printed by a library",
  });

const writeLine = (line: Record<string, unknown>): void =>
  void process.stdout.write(`${JSON.stringify(line)}\n`);
