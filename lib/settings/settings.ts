import { createHash } from "node:crypto";
import { cache } from "react";
import { prisma, type Tx } from "#lib/database/client.ts";
import { SystemSettingValues } from "#lib/settings/schema.ts";

/** Values where a SystemAdmin has set nothing. */
export const DEFAULT_SYSTEM_SETTINGS: SystemSettingValues = {
  registration: "open",
  name: "Heed",
  supportContact: null,
};

const SETTING_NAMES = Object.keys(DEFAULT_SYSTEM_SETTINGS) as (keyof SystemSettingValues)[];

/** Loads the current settings: one query per page, even when several of its parts need them. */
export const loadSystemSettings = cache((): Promise<SystemSettingValues> =>
  loadUncachedSystemSettings(prisma),
);

/** Loads the settings with the given client, without the cache of `loadSystemSettings`. */
export async function loadUncachedSystemSettings(
  client: Pick<Tx, "systemSetting">,
): Promise<SystemSettingValues> {
  const rows = await client.systemSetting.findMany({
    where: { key: { in: SETTING_NAMES } },
    select: { key: true, value: true },
  });
  return applySettingDefaults(Object.fromEntries(rows.map(({ key, value }) => [key, value])));
}

/**
 * Computes the version for `If-Match`, which changes exactly when a value does. A hash, because a setting that
 * returns to its default leaves no timestamp behind.
 */
export const computeSettingsVersion = (values: SystemSettingValues): string =>
  createHash("sha256")
    .update(JSON.stringify(SETTING_NAMES.map((name) => values[name])))
    .digest("hex")
    .slice(0, 16);

/** Merges stored settings with the defaults. A stored value that is invalid in this version counts as unset. */
export function applySettingDefaults(stored: Record<string, unknown>): SystemSettingValues {
  const validEntries = Object.entries(SystemSettingValues.shape).filter(
    ([key, schema]) => schema.safeParse(stored[key]).success,
  );
  return {
    ...DEFAULT_SYSTEM_SETTINGS,
    ...Object.fromEntries(validEntries.map(([key]) => [key, stored[key]])),
  };
}
