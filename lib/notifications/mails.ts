import { actorNamed } from "#lib/accounts/actor.ts";
import { db } from "#lib/db.ts";
import { digest, somethingNew } from "#lib/mail/messages.ts";
import { deliver } from "#lib/mail/send.ts";
import { notificationsPage } from "#lib/notifications/links.ts";
import { personOf, waitingFor } from "#lib/notifications/queries.ts";

/** Mails to people who are told of something. Whether they may still see it is looked at when the mail is written. */

/** One mail for one notification, unless it was read, or its subject closed to the person, in the meantime. */
export async function mailNotification(notificationId: string): Promise<void> {
  const userId = await personOf(notificationId);
  const actor = userId ? await actorNamed(userId) : null;
  if (!actor) return;
  const [news] = await waitingFor(actor, [notificationId]);
  if (!news) return;
  const { name, email } = actor;
  const message = somethingNew({
    name,
    kind: news.kind,
    place: news.place,
    url: news.url,
    listUrl: notificationsPage(),
  });
  await deliver({ to: email, message });
}

/**
 * Queues one mail for each person with notifications whose digest is due, and takes them off the list of what
 * waits, in one statement: run twice, or by two processes, it gathers nothing twice.
 */
export const queueDigests = (): Promise<number> => db.$executeRaw`
  with due as (
    update notifications set digest_due = null where digest_due <= now() returning id, user_id
  ), person as (
    select user_id, json_agg(id) as ids from due group by user_id
  )
  select graphile_worker.add_job(identifier => 'mail.digest',
    payload => json_build_object('userId', user_id, 'notificationIds', ids)) from person`;

/** One mail for all of them; where each is, and how many there are, is all that it says. */
export async function mailDigest(userId: string, notificationIds: string[]): Promise<void> {
  const actor = await actorNamed(userId);
  const news = actor ? await waitingFor(actor, notificationIds) : [];
  if (!actor || news.length === 0) return;
  const counts = new Map<string, number>();
  for (const { place } of news) counts.set(place, (counts.get(place) ?? 0) + 1);
  const places = [...counts].map(([place, count]) => ({ place, count }));
  const message = digest({ name: actor.name, places, listUrl: notificationsPage() });
  await deliver({ to: actor.email, message });
}

/** Removes what was told half a year ago, and what was for mail only, or removed, a week ago. */
export const sweepNotifications = (): Promise<number> => db.$executeRaw`
  delete from notifications
  where created_at < now() - interval '180 days'
    or (not in_app and digest_due is null and created_at < now() - interval '7 days')`;
