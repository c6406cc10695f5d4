import { createHash } from "node:crypto";
import { cache } from "react";
import { db, type Tx } from "#lib/database/client.ts";
import { SettingValues } from "#lib/settings/schema.ts";

/** What holds where a SystemAdmin has set nothing. */
export const DEFAULTS: SettingValues = { registration: "open", name: "Heed", supportContact: null };

const NAMES = Object.keys(DEFAULTS) as (keyof SettingValues)[];

/** The settings of the installation, as they are now: one query, on a page also when several parts ask. */
export const settings = cache((): Promise<SettingValues> => readSettings(db));

/** The same, in a transaction that changes them. */
export async function readSettings(from: Pick<Tx, "$queryRaw">): Promise<SettingValues> {
  const rows = await from.$queryRaw<{ key: string; value: unknown }[]>`
    select key, value from system_settings where key = any(${NAMES}::text[])`;
  return withDefaults(Object.fromEntries(rows.map(({ key, value }) => [key, value])));
}

/** For `If-Match`: the same as long as every value is. What goes back to its default leaves no time behind. */
export const versionOf = (values: SettingValues): string =>
  createHash("sha256")
    .update(JSON.stringify(NAMES.map((name) => values[name])))
    .digest("hex")
    .slice(0, 16);

/** A value that an older or newer version has written, and that makes no sense here, counts as unset. */
export function withDefaults(stored: Record<string, unknown>): SettingValues {
  const usable = Object.entries(SettingValues.shape).filter(
    ([key, schema]) => schema.safeParse(stored[key]).success,
  );
  return { ...DEFAULTS, ...Object.fromEntries(usable.map(([key]) => [key, stored[key]])) };
}
