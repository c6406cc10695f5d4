import { computeWallClockTimeAsUtcMs } from "#lib/wall-clock.ts";

/**
 * Returns the day of a time in the zone: "YYYY-MM-DD". In a file of its own, so that the report form, which loads
 * wall-clock.ts, doesn't load this function, too.
 */
export const formatDayInTimeZone = (at: Date, zone: string): string =>
  new Date(computeWallClockTimeAsUtcMs(at.getTime(), zone)).toISOString().slice(0, 10);
