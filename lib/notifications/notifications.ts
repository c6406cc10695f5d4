import { runTransaction } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { publishLiveMessage } from "#lib/outbox/broadcast.ts";
import {
  countUnreadNotifications,
  loadNotification,
  isNotificationListedForSql,
} from "#lib/notifications/queries.ts";
import type { NotificationRecord, NotificationSetting } from "#lib/notifications/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** The current user's notifications. Reading one on a page updates all open pages. */

/** Marks a notification as read; reading it again keeps the first time. @throws AppError NOT_FOUND */
export async function markNotificationRead(actor: Actor, id: string): Promise<NotificationRecord> {
  await runTransaction(async (tx) => {
    const updatedCount = await tx.$executeRaw`
      update notifications n set read_at = coalesce(n.read_at, now()) where n.id = ${id}::uuid and ${isNotificationListedForSql(actor)}`;
    if (updatedCount === 0) throw createNotFoundError("notification");
    await publishLiveMessage(tx, { change: null, notifiedPersonIds: [actor.id], accessChangedPersonIds: [] });
  });
  return loadNotification(actor, id);
}

/**
 * Marks everything in the list as read. @returns how many are unread afterwards, because they arrived in the meantime
 */
export async function markAllNotificationsRead(actor: Actor): Promise<number> {
  await runTransaction(async (tx) => {
    const updatedCount = await tx.$executeRaw`
      update notifications n set read_at = now() where n.read_at is null and ${isNotificationListedForSql(actor)}`;
    if (updatedCount > 0)
      await publishLiveMessage(tx, {
        change: null,
        notifiedPersonIds: [actor.id],
        accessChangedPersonIds: [],
      });
  });
  return countUnreadNotifications(actor);
}

/**
 * Removes a notification from the list. Its row stays hidden until the sweep, since it records when it was mailed.
 * @throws AppError NOT_FOUND
 */
export async function removeNotification(actor: Actor, id: string): Promise<void> {
  await runTransaction(async (tx) => {
    const updatedCount = await tx.$executeRaw`
      update notifications n set in_app = false, read_at = coalesce(n.read_at, now()), digest_due = null,
        mail_due = null
      where n.id = ${id}::uuid and ${isNotificationListedForSql(actor)}`;
    if (updatedCount === 0) throw createNotFoundError("notification");
    await publishLiveMessage(tx, { change: null, notifiedPersonIds: [actor.id], accessChangedPersonIds: [] });
  });
}

/** Saves the person's choice for each given kind. */
export async function saveNotificationSettings(
  userId: string,
  settings: NotificationSetting[],
): Promise<void> {
  await runTransaction(async (tx) => {
    await tx.$executeRaw`
      insert into notification_settings (user_id, kind, in_app, mail)
      select ${userId}::uuid, s.kind, s."inApp", s.mail::mail_frequency
      from json_to_recordset(${JSON.stringify(settings)}::json) as s(kind text, "inApp" boolean, mail text)
      on conflict (user_id, kind) do update set in_app = excluded.in_app, mail = excluded.mail`;
  });
}
