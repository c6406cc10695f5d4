import { Prisma } from "#lib/generated/prisma/client.ts";
import { runTransaction } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { publishLiveBroadcast } from "#lib/jobs/broadcast.ts";
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
  const isGiven = Prisma.sql`n.id = ${id}::uuid`;
  const changed = await changeListed(actor, Prisma.sql`read_at = coalesce(n.read_at, now())`, isGiven);
  if (changed === 0) throw createNotFoundError("notification");
  return loadNotification(actor, id);
}

/**
 * Marks everything in the list as read. @returns how many are unread afterwards, because they arrived in the meantime
 */
export async function markAllNotificationsRead(actor: Actor): Promise<number> {
  await changeListed(actor, Prisma.sql`read_at = now()`, Prisma.sql`n.read_at is null`);
  return countUnreadNotifications(actor);
}

/**
 * Removes a notification from the list. Its row stays hidden until the sweep, since it records when it was mailed.
 * @throws AppError NOT_FOUND
 */
export async function removeNotification(actor: Actor, id: string): Promise<void> {
  const removed = Prisma.sql`in_app = false, read_at = coalesce(n.read_at, now()), digest_due = null, mail_due = null`;
  const changed = await changeListed(actor, removed, Prisma.sql`n.id = ${id}::uuid`);
  if (changed === 0) throw createNotFoundError("notification");
}

/** Changes notifications of the person's list, and updates their open pages. @returns how many */
const changeListed = (actor: Actor, changes: Prisma.Sql, condition: Prisma.Sql): Promise<number> =>
  runTransaction(async (tx) => {
    const count = await tx.$executeRaw`
      update notifications n set ${changes} where ${condition} and ${isNotificationListedForSql(actor)}`;
    const change = { change: null, notifiedPersonIds: [actor.id], accessChangedPersonIds: [] };
    if (count > 0) await publishLiveBroadcast(tx, change);
    return count;
  });

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
