import { computeWallClockMs } from "#lib/wall-clock.ts";

/**
 * Returns the day of a time in the zone: "YYYY-MM-DD". In a file of its own, since the report form loads wall-clock.ts.
 */
export const toZonedDay = (at: Date, zone: string): string =>
  new Date(computeWallClockMs(at.getTime(), zone)).toISOString().slice(0, 10);
