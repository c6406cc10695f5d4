import { createHash } from "node:crypto";
import { cache } from "react";
import { SettingValues, type SettingsChange } from "#lib/admin/schema.ts";
import { SETTINGS_LOCK } from "#lib/database/advisory-locks.ts";
import type { Context } from "#lib/operation/operation.ts";
import { refuseStale } from "#lib/operation/if-match.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction, type Tx } from "#lib/database/client.ts";
import { holdSystemAdmin } from "#lib/organizations/members.ts";
import type { Actor, Subject } from "#lib/operation/policy.ts";

/** What holds where a SystemAdmin has set nothing. */
export const DEFAULTS: SettingValues = { registration: "open", name: "Heed", supportContact: null };

const NAMES = Object.keys(DEFAULTS) as (keyof SettingValues)[];

/** The settings of the installation, as they are now: one query, on a page also when several parts ask. */
export const settings = cache((): Promise<SettingValues> => readSettings(db));

async function readSettings(from: Pick<Tx, "$queryRaw">): Promise<SettingValues> {
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

/**
 * Sets what is given, each a row; null goes back to the default.
 * @throws AppError CONFLICT when `If-Match` holds another version than that of the settings
 */
export async function changeSettings(
  { actor, right, call }: Context<Subject, Actor>,
  change: SettingsChange,
): Promise<void> {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const set = Object.fromEntries(given.filter(([, value]) => value !== null));
  const cleared = given.filter(([, value]) => value === null).map(([key]) => key);
  await transaction(async (tx) => {
    await holdSystemAdmin(tx, actor);
    await tx.$executeRaw`select pg_advisory_xact_lock(${SETTINGS_LOCK}::bigint)`;
    refuseStale("settings", call, versionOf(await readSettings(tx)));
    await tx.$executeRaw`delete from system_settings where key = any(${cleared}::text[])`;
    await tx.$executeRaw`
      insert into system_settings (key, value, updated_at)
      select key, value, now() from jsonb_each(${JSON.stringify(set)}::jsonb) order by key
      on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`;
    await audit(tx, {
      action: "settings.change",
      actorId: actor.id,
      right,
      object: { type: "settings", id: null },
      data: { fields: given.map(([key]) => key), registration: change.registration ?? null },
      requestId: call.requestId,
    });
  });
}
