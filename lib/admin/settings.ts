import { assertAndLockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { SETTINGS_LOCK } from "#lib/database/advisory-locks.ts";
import { runTransaction } from "#lib/database/client.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";
import type { SystemSettingsChangeInput } from "#lib/settings/schema.ts";
import {
  applySettingDefaults,
  computeSettingsVersion,
  loadUncachedSystemSettings,
} from "#lib/settings/settings.ts";

/**
 * Stores the given settings, one row each; null restores the default.
 * @throws AppError CONFLICT when `If-Match` names another version than that of the settings
 */
export async function changeSystemSettings(
  context: OperationContext<PermissionSubject, Actor>,
  change: SystemSettingsChangeInput,
): Promise<void> {
  const { actor, call } = context;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const rows = given.flatMap(([key, value]) => (value === null ? [] : [{ key, value }]));
  await runTransaction(async (tx) => {
    await assertAndLockSystemAdmin(tx, actor);
    await tx.$executeRaw`select pg_advisory_xact_lock(${SETTINGS_LOCK}::bigint)`;
    const stored = await loadUncachedSystemSettings(tx);
    assertIfMatch("settings", call, computeSettingsVersion(stored));
    const after = applySettingDefaults({ ...stored, ...change });
    const fields = listChangedFields(stored, after);
    if (fields.length === 0) return;
    // Every change holds the lock, so nobody else inserts one of these rows in the meantime.
    await tx.systemSetting.deleteMany({ where: { key: { in: given.map(([key]) => key) } } });
    await tx.systemSetting.createMany({ data: rows });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "settings.change",
        { type: "settings", id: null },
        { fields, registration: change.registration ?? null },
      ),
    );
  });
}
