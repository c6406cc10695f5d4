import { lockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { audit } from "#lib/audit/audit.ts";
import { SETTINGS_LOCK } from "#lib/database/advisory-locks.ts";
import { transaction } from "#lib/database/client.ts";
import { refuseStale } from "#lib/operation/if-match.ts";
import type { Context } from "#lib/operation/operation.ts";
import type { Actor, Subject } from "#lib/operation/policy.ts";
import type { SettingsChange } from "#lib/settings/schema.ts";
import { readSettings, versionOf } from "#lib/settings/settings.ts";

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
    await lockSystemAdmin(tx, actor);
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
