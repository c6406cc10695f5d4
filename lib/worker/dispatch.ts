import { isReaderSql } from "#lib/access/readers-sql.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { coarseOutboxEventTimeSql } from "#lib/incidents/coarse-times-sql.ts";
import { publishLiveBroadcasts } from "#lib/jobs/broadcast.ts";
import { queueWebhookDeliveries } from "#lib/webhooks/deliveries.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  PUBLISHED_KIND_BY_INTERNAL_KIND,
  DAY_ONLY_EVENT_KINDS,
  isPublishableEventKind,
  type OutboxEventKind,
  type OutboxEventToDispatch,
} from "#lib/jobs/outbox-events.ts";
import { isOutboxEventDueSql } from "#lib/worker/queries.ts";
import { NOTIFICATION_RECIPIENTS_SQL } from "#lib/notifications/recipients-sql.ts";
import {
  DEFAULT_MAIL_FREQUENCIES,
  MAIL_BATCH_SECONDS,
  PROMPTLY_MAILED_NOTIFICATION_KINDS,
} from "#lib/notifications/schema.ts";

/** Outbox events per transaction. */
export const MAX_OUTBOX_EVENTS_PER_BATCH = 100;

/**
 * Dispatches outbox events to notifications, live streams and webhooks, and removes them in the same transaction, so
 * that each is dispatched once, however many processes run and wherever one stops. An event whose subject is gone is
 * dropped; one of a kind that only a newer version knows stays in the outbox.
 * @param id dispatches only this event, instead of the oldest ones
 * @returns how many events were claimed
 */
export const dispatchOutboxBatch = (id?: bigint): Promise<number> =>
  runSqlTransaction(
    (tx) => claimAndNotify(tx, id),
    async (tx, claimedEvents) => {
      const validEvents = claimedEvents.filter(({ hasSubject }) => hasSubject);
      const webhookEvents = validEvents.filter(isPublishable).filter(({ hasWebhook }) => hasWebhook);
      await Promise.all([
        queueWebhookDeliveries(tx, webhookEvents),
        publishLiveBroadcasts(tx, validEvents.map(toLiveMessage)),
      ]);
      return claimedEvents.length;
    },
  );

type ClaimedEvent = Omit<OutboxEventToDispatch, "kind"> & {
  kind: OutboxEventKind;
  /** Whether its organization, event and incident still exist. */
  hasSubject: boolean;
  /** Whether at least one webhook subscribes to it. */
  hasWebhook: boolean;
  /** The people who got a notification. */
  notifiedPersonIds: string[];
};

type PublishableClaimedEvent = ClaimedEvent & Pick<OutboxEventToDispatch, "kind">;

const isPublishable = (event: ClaimedEvent): event is PublishableClaimedEvent =>
  isPublishableEventKind(event.kind);

const toLiveMessage = (event: ClaimedEvent) => ({
  change: isPublishable(event) ? toChange(event) : null,
  notifiedPersonIds: event.notifiedPersonIds,
  accessChangedPersonIds: event.kind === "role.changed" ? event.personIds : [],
});

const toChange = ({ kind, organizationId, eventId, incidentId, reporterId }: PublishableClaimedEvent) => ({
  kind,
  organizationId,
  eventId,
  incidentId,
  reporterId,
});

/**
 * Claims events that no other process holds, in the order in which they were written, and inserts notifications for
 * the recipients, except the actor, people who must not see the incident and whoever turned them off; one statement for
 * all of them.
 */
const claimAndNotify = (tx: SqlClient, id: bigint | undefined) => tx.$queryRaw<ClaimedEvent[]>`
  with due as (
    select id from outbox_events where ${isOutboxEventDueSql()} and ${id === undefined ? Prisma.sql`true` : Prisma.sql`id = ${id}::bigint`}
    order by id limit ${MAX_OUTBOX_EVENTS_PER_BATCH}::bigint for update skip locked
  ), claimed as (
    delete from outbox_events o using due where o.id = due.id returning o.*, ${coarseOutboxEventTimeSql(DAY_ONLY_EVENT_KINDS)} as public_at
  ), dispatched as (
    select c.*, i.reporter_id, i.assigned_responder_id as assignee_id
    from claimed c join organizations o on o.id = c.organization_id
    left join events e on e.id = c.event_id and e.organization_id = o.id
    left join incidents i on i.id = c.incident_id and i.event_id = e.id
    where (c.event_id is null or e.id is not null) and (c.incident_id is null or i.id is not null)
  ), recipient as (${NOTIFICATION_RECIPIENTS_SQL}), candidates as (
    select d.*, u.id as user_id, coalesce(s.in_app, true) as in_app,
      coalesce(s.mail::text, ${JSON.stringify(DEFAULT_MAIL_FREQUENCIES)}::jsonb ->> d.kind) as mail
    from (select distinct deduplication_id, user_id from recipient) r
    join dispatched d on d.deduplication_id = r.deduplication_id
    join users u on u.id = r.user_id and u.disabled_at is null
    left join notification_settings s on s.user_id = u.id and s.kind = d.kind
    where u.id is distinct from d.actor_id and not exists (
      select 1 from incidents i where i.id = d.incident_id and i.reporter_id is distinct from u.id and not ${isReaderSql(Prisma.sql`u.id`)})
  ), recent_mail as (${RECENT_MAILS_SQL}
  ), notified as (
    insert into notifications (user_id, kind, organization_id, event_id, incident_id, deduplication_id, created_at,
      in_app, digest_due, mail_due)
    select n.user_id, n.kind, n.organization_id, n.event_id, n.incident_id, n.deduplication_id::text, n.public_at, n.in_app,
      ${digestDueSql}, ${mailDueSql}
    from candidates n where n.in_app or n.mail <> 'off'
    on conflict (user_id, deduplication_id) do nothing
    returning user_id, deduplication_id
  )
  select c.deduplication_id::text as "deduplicationId", c.at, c.public_at as "publicAt", c.kind, c.actor_id as "actorId", c.organization_id as "organizationId",
    c.event_id as "eventId", c.incident_id as "incidentId", c.person_ids as "personIds", c.state,
    d.reporter_id as "reporterId", d.id is not null as "hasSubject",
    exists (select 1 from webhooks w where w.organization_id = c.organization_id and w.disabled_at is null
      and ${changeKindSql} = any(w.kinds)) as "hasWebhook",
    array(select n.user_id::text from notified n where n.deduplication_id = c.deduplication_id::text) as "notifiedPersonIds"
  from claimed c left join dispatched d on d.id = c.id order by c.id`;

/** The published kind of an event `c`, as `toPublishedChangeKind` returns it. */
const changeKindSql = Prisma.sql`coalesce(${JSON.stringify(PUBLISHED_KIND_BY_INTERNAL_KIND)}::jsonb ->> c.kind, c.kind)`;

/** When the digest for a row `n` is due: at the next full hour, or at 08:00 UTC. */
const digestDueSql = Prisma.sql`case n.mail when 'hourly' then date_trunc('hour', now(), 'UTC') + interval '1 hour'
  when 'daily' then date_trunc('day', now() - interval '8 hours', 'UTC') + interval '32 hours' end`;

/** Recent mails to each person: when, of which kind, and about which event's reports. */
const RECENT_MAILS_SQL = Prisma.sql`
  select m.user_id, m.kind, m.event_id, max(m.mailed_at) as at from notifications m
  where m.user_id in (select user_id from candidates) and m.mailed_at > now() - interval '10 minutes'
    and m.incident_id is not null
  group by m.user_id, m.kind, m.event_id`;

/**
 * When the mail for a row `n` is due. Kinds that need action go out soon, unless a mail of that kind and event went
 * out a moment ago; other kinds wait to be batched (lib/notifications/mails.ts).
 */
const mailDueSql = Prisma.sql`case when n.mail <> 'now' then null
  when n.kind = any(${PROMPTLY_MAILED_NOTIFICATION_KINDS}::text[]) then greatest(now() + make_interval(secs => ${MAIL_BATCH_SECONDS.prompt}::int),
    (select m.at + make_interval(secs => ${MAIL_BATCH_SECONDS.other}::int) from recent_mail m
      where m.user_id = n.user_id and m.kind = n.kind and m.event_id = n.event_id))
  else now() + make_interval(secs => ${MAIL_BATCH_SECONDS.other}::int) end`;
