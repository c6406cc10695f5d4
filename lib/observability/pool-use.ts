/** How the database pools of this process are used, for the metrics. */
export type PoolUse = { total: number; idle: number; waiting: number };

// One a process, since the bundler and the start command load modules of their own.
const kept = globalThis as unknown as { heedPoolUse?: () => PoolUse };

/** Says how to read it: only the database knows its pools, and it logs and measures through this folder. */
export function observePools(read: () => PoolUse): void {
  kept.heedPoolUse = read;
}

/** Nothing as long as no pool was made. */
export const readPoolUse = (): PoolUse => kept.heedPoolUse?.() ?? { total: 0, idle: 0, waiting: 0 };
