import { transaction } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { announce } from "#lib/outbox/broadcast.ts";
import { countUnread, findNotification, ownOf } from "#lib/notifications/queries.ts";
import type { NotificationRecord, Setting } from "#lib/notifications/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** One's own notifications. What is read on one page is read on all that are open. */

/** Marks one as read; reading it again keeps the first time. @throws AppError NOT_FOUND */
export async function markRead(actor: Actor, id: string): Promise<NotificationRecord> {
  await transaction(async (tx) => {
    const found = await tx.$executeRaw`
      update notifications n set read_at = coalesce(n.read_at, now()) where n.id = ${id}::uuid and ${ownOf(actor)}`;
    if (found === 0) throw notFound("This notification");
    await announce(tx, { fact: null, told: [actor.id], changed: [] });
  });
  return findNotification(actor, id);
}

/** Marks everything in the list as read. @returns how many are unread afterwards: those that came meanwhile */
export async function markAllRead(actor: Actor): Promise<number> {
  await transaction(async (tx) => {
    const found = await tx.$executeRaw`
      update notifications n set read_at = now() where n.read_at is null and ${ownOf(actor)}`;
    if (found > 0) await announce(tx, { fact: null, told: [actor.id], changed: [] });
  });
  return countUnread(actor);
}

/**
 * Takes one out of the list. The row stays, unseen, until the sweep: it says when it was mailed.
 * @throws AppError NOT_FOUND
 */
export async function removeNotification(actor: Actor, id: string): Promise<void> {
  await transaction(async (tx) => {
    const found = await tx.$executeRaw`
      update notifications n set in_app = false, read_at = coalesce(n.read_at, now()), digest_due = null,
        mail_due = null
      where n.id = ${id}::uuid and ${ownOf(actor)}`;
    if (found === 0) throw notFound("This notification");
    await announce(tx, { fact: null, told: [actor.id], changed: [] });
  });
}

/** Keeps what the person chose, kind by kind. */
export async function saveSettings(userId: string, settings: Setting[]): Promise<void> {
  await transaction(async (tx) => {
    await tx.$executeRaw`
      insert into notification_choices (user_id, kind, in_app, mail)
      select ${userId}::uuid, s.kind, s."inApp", s.mail::mail_choice
      from json_to_recordset(${JSON.stringify(settings)}::json) as s(kind text, "inApp" boolean, mail text)
      on conflict (user_id, kind) do update set in_app = excluded.in_app, mail = excluded.mail`;
  });
}
