import pino from "pino";
import { env } from "#lib/env.ts";

/**
 * Structured log on standard output: ids and codes, never names, addresses, texts, tokens or codes of
 * invites. One JSON line an event.
 */
export const log = pino({
  level: env().LOG_LEVEL,
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
});
