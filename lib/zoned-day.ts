import { readWallClock } from "#lib/wall-clock.ts";

/**
 * Returns the day that a calendar in the zone shows at this moment: "YYYY-MM-DD". Apart from wall-clock.ts, which the
 * report form loads.
 */
export const toZonedDay = (at: Date, zone: string): string =>
  new Date(readWallClock(at.getTime(), zone)).toISOString().slice(0, 10);
