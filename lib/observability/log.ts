import pino from "pino";
import { env } from "#lib/env.ts";

/**
 * Structured log on standard output, one JSON line per event. It holds ids and codes, never names, addresses, texts,
 * tokens or invite codes.
 */
export const log = pino({
  level: env().LOG_LEVEL,
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
});
