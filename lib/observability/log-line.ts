/**
 * A line of the log, without the logger: for the start command, which speaks before the environment may be read.
 * @param message holds nothing about people, but for the links that local mode prints
 */
export function writeLogLine(level: "info" | "warn", message: string): void {
  console.log(JSON.stringify({ level, time: new Date().toISOString(), msg: message }));
}
