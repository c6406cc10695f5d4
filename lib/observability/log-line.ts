import { format } from "node:util";

/**
 * Writes a log line without the logger, for the start command, which logs before the environment may be read.
 * @param message holds no personal data, except for the links that local mode prints
 */
export function writeLogLineWithoutLogger(level: "info" | "warn", message: string): void {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), msg: message })}\n`);
}

/** Turns what libraries print with `console.log` and `console.info` into log lines; Next.js does when it loads its settings. */
export function redirectConsoleLogAndInfo(): void {
  console.log = (...values: unknown[]) => writeLogLineWithoutLogger("info", format(...values).trim());
  console.info = console.log;
}
