/**
 * Writes a log line without the logger, for the start command, which logs before the environment may be read.
 * @param message holds no personal data, except for the links that local mode prints
 */
export function writeLogLine(level: "info" | "warn", message: string): void {
  console.log(JSON.stringify({ level, time: new Date().toISOString(), msg: message }));
}
