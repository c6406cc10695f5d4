/** Usage of this process's database pools, for the metrics. */
export type PoolUse = { total: number; idle: number; waiting: number };

// One per process, since the bundler and the start command load separate copies of this module.
const kept = globalThis as unknown as { heedPoolUse?: () => PoolUse };

/**
 * Sets the function that reads pool usage. Only lib/database knows its pools, and it imports this folder, not vice
 * versa.
 */
export function observePools(read: () => PoolUse): void {
  kept.heedPoolUse = read;
}

/** Returns pool usage; zeros until a pool has been opened. */
export const readPoolUse = (): PoolUse => kept.heedPoolUse?.() ?? { total: 0, idle: 0, waiting: 0 };
