import { NOTIFICATION_MAIL_LOCK } from "#lib/database/advisory-locks.ts";
import { findActorById } from "#lib/accounts/actor-queries.ts";
import { prisma, runSqlTransaction, sql } from "#lib/database/client.ts";
import {
  composeDigestMail,
  composeMultiReportNotificationMail,
  composeNotificationMail,
} from "#lib/mail/messages.ts";
import { sendMail } from "#lib/mail/send.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { chooseJobPriority, URGENT_NOTIFICATION_JOB_PRIORITY } from "#lib/jobs/queues.ts";
import { buildNotificationsPageUrl } from "#lib/notifications/links.ts";
import { listMailableNotifications } from "#lib/notifications/queries.ts";
import type { NotificationKind } from "#lib/notifications/schema.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

/**
 * Notification mails. Whether the person may still see the subject, and whether their address is confirmed, is checked
 * when the mail is written: an unconfirmed address gets none.
 */

/**
 * Groups notifications `n` into one mail: those on an event's reports, or those on one kind of role or invite change
 * in one place.
 */
const mailGroupKeySql = Prisma.sql`case when n.incident_id is not null then n.event_id::text
  else n.kind || ' ' || coalesce(n.event_id, n.organization_id) end`;

/** Kinds whose mails must not wait behind thousands of others. */
const URGENT_KINDS: NotificationKind[] = ["incident.urgent", "incident.escalated", "incident.critical"];

/**
 * Queues one mail for each person and event that has a due mail (lib/worker/dispatch.ts). It includes whatever else is
 * waiting for that person and event, so a hundred reports within a minute become one or two mails. One process at a
 * time does this, in one statement, so that nothing is mailed twice or split.
 */
export async function queueNotificationMails(): Promise<void> {
  await runSqlTransaction(async (tx) => {
    const [lock] = await tx.$queryRaw<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${NOTIFICATION_MAIL_LOCK}::bigint) as mine`;
    if (!lock?.mine) return;
    await tx.$executeRaw`
      with due as (
        select distinct n.user_id, ${mailGroupKeySql} as subject from notifications n where n.mail_due <= now()
      ), gathered as (
        update notifications n set mail_due = null, mailed_at = now() from due
        where n.mail_due is not null and n.user_id = due.user_id and ${mailGroupKeySql} = due.subject
        returning n.id, n.user_id, n.kind, due.subject
      )
      select graphile_worker.add_job(identifier => 'mail.notification',
        priority => case when bool_or(kind = any(${URGENT_KINDS}::text[])) then ${URGENT_NOTIFICATION_JOB_PRIORITY}::int end,
        payload => json_build_object('userId', user_id, 'notificationIds', json_agg(id)))
      from gathered group by user_id, subject`;
  });
}

/**
 * Mails a person notifications of one event or organization, except those that they have read or may no longer see.
 * The mail links to the report, or to the list if there are several.
 */
export async function mailNotifications(userId: string, notificationIds: string[]): Promise<void> {
  const actor = await findActorById(userId);
  const news = actor && !actor.unverified ? await listMailableNotifications(actor, notificationIds) : [];
  const [first] = news;
  if (!actor || !first) return;
  const isAboutSeveral = new Set(news.map(({ incidentId }) => incidentId)).size > 1;
  const message = (isAboutSeveral ? composeMultiReportNotificationMail : composeNotificationMail)({
    name: actor.name,
    locale: actor.locale,
    kinds: news.map(({ kind }) => kind),
    place: first.place,
    codeName: first.codeName,
    url: isAboutSeveral ? first.placeUrl : first.url,
    listUrl: buildNotificationsPageUrl(),
  });
  await sendMail({ to: actor.email, message });
}

/**
 * Queues one mail for each person with a due digest and clears the due times, in one statement, so that repeated or
 * concurrent runs mail nothing twice.
 */
export const queueDigests = (): Promise<number> => sql.$executeRaw`
  with due as (
    update notifications set digest_due = null where digest_due <= now() returning id, user_id
  ), person as (
    select user_id, json_agg(id) as ids from due group by user_id
  )
  select graphile_worker.add_job(identifier => 'mail.digest', priority => ${chooseJobPriority("mail.digest")}::int,
    payload => json_build_object('userId', user_id, 'notificationIds', ids)) from person`;

/**
 * Mails a digest. The mail names only the kinds of notifications, their event or organization, and how many there are
 * of each.
 */
export async function mailDigest(userId: string, notificationIds: string[]): Promise<void> {
  const actor = await findActorById(userId);
  const news = actor && !actor.unverified ? await listMailableNotifications(actor, notificationIds) : [];
  if (!actor || news.length === 0) return;
  const places = [...Map.groupBy(news, ({ place }) => place)].map(([place, items]) => ({
    place,
    kinds: items.map(({ kind }) => kind),
  }));
  const message = composeDigestMail({
    name: actor.name,
    locale: actor.locale,
    places,
    listUrl: buildNotificationsPageUrl(),
  });
  await sendMail({ to: actor.email, message });
}

/** Removes notifications after half a year; those for mail only, and those removed from the list, after a week. */
export async function sweepNotifications(): Promise<void> {
  const createdBefore = (days: number) => ({ createdAt: { lt: new Date(Date.now() - days * DAY_MS) } });
  const isHidden = { inApp: false, digestDue: null, mailDue: null };
  await prisma.notification.deleteMany({
    where: { OR: [createdBefore(180), { ...isHidden, ...createdBefore(7) }] },
  });
}
