import { runTransaction, type Tx } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { publishLiveBroadcast } from "#lib/outbox/broadcast.ts";
import {
  countUnreadNotifications,
  loadNotification,
  isNotificationListedForSql,
} from "#lib/notifications/queries.ts";
import type { NotificationRecord, NotificationSetting } from "#lib/notifications/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** The current user's notifications. Reading one on a page updates all open pages. */

const publishChangeToOwnPages = (tx: Tx, { id }: Actor) =>
  publishLiveBroadcast(tx, { change: null, notifiedPersonIds: [id], accessChangedPersonIds: [] });

/** Marks a notification as read; reading it again keeps the first time. @throws AppError NOT_FOUND */
export async function markNotificationRead(actor: Actor, id: string): Promise<NotificationRecord> {
  await runTransaction(async (tx) => {
    const updatedCount = await tx.$executeRaw`
      update notifications n set read_at = coalesce(n.read_at, now()) where n.id = ${id}::uuid and ${isNotificationListedForSql(actor)}`;
    if (updatedCount === 0) throw createNotFoundError("notification");
    await publishChangeToOwnPages(tx, actor);
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
    if (updatedCount > 0) await publishChangeToOwnPages(tx, actor);
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
    await publishChangeToOwnPages(tx, actor);
  });
}

/** Saves the person's choice for each given kind, in one order, so that two requests don't lock each other out. */
export async function saveNotificationSettings(
  userId: string,
  settings: NotificationSetting[],
): Promise<void> {
  const sorted = settings.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  await runTransaction(async (tx) => {
    for (const { kind, inApp, mail } of sorted)
      await tx.notificationSetting.upsert({
        where: { userId_kind: { userId, kind } },
        update: { inApp, mail },
        create: { userId, kind, inApp, mail },
        select: { kind: true },
      });
  });
}
