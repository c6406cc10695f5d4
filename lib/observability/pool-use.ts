import { processWide } from "#lib/process-wide.ts";

/** Usage of this process's database pools, for the metrics. */
export type DatabasePoolUsage = { total: number; idle: number; waiting: number };

const observed = processWide("database pool use", (): { read?: () => DatabasePoolUsage } => ({}));

/** Sets the function that reads pool usage. This folder can't import lib/database, which alone knows its pools. */
export function setDatabasePoolUsageReader(read: () => DatabasePoolUsage): void {
  observed.read = read;
}

/** Returns pool usage; zeros until a pool has been opened. */
export const getDatabasePoolUsage = (): DatabasePoolUsage =>
  observed.read?.() ?? { total: 0, idle: 0, waiting: 0 };
