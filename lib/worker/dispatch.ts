import { runSqlTransaction } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { publishLiveMessages } from "#lib/outbox/broadcast.ts";
import { queueDeliveries } from "#lib/webhooks/deliveries.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  TEAM_ONLY_CHANGE,
  toChangeKind,
  OUTBOX_EVENT_KINDS,
  type DispatchedEvent,
} from "#lib/outbox/events.ts";
import { RECIPIENTS_SQL } from "#lib/notifications/recipients.ts";
import {
  DEFAULT_MAIL_FREQUENCIES,
  MAIL_BATCH_SECONDS,
  PROMPT_NOTIFICATION_KINDS,
} from "#lib/notifications/schema.ts";

/** Outbox events per transaction. */
export const MAX_EVENTS_PER_BATCH = 100;

/**
 * Dispatches outbox events to notifications, live streams and webhooks, and removes them in the same transaction, so
 * that each is dispatched once, however many processes run and wherever one stops. An event whose subject is gone is
 * dropped; one of a kind that only a newer version knows stays in the outbox.
 * @param id dispatches only this event, instead of the oldest ones
 * @returns how many events were claimed
 */
export const dispatchBatch = (id?: bigint): Promise<number> =>
  runSqlTransaction(
    (tx) => claimAndNotify(tx, id),
    async (tx, claimedEvents) => {
      const told = claimedEvents.filter(({ there }) => there);
      const webhookEvents = told.filter(({ webhooks }) => webhooks);
      await Promise.all([
        queueDeliveries(tx, webhookEvents),
        publishLiveMessages(tx, told.map(toLiveMessage)),
      ]);
      return claimedEvents.length;
    },
  );

type ClaimedEvent = DispatchedEvent & {
  /** Its organization, event and incident still exist. */
  there: boolean;
  /** At least one webhook subscribes to it. */
  webhooks: boolean;
  /** The people who got a notification. */
  told: string[];
};

const toLiveMessage = ({
  kind,
  organizationId,
  eventId,
  incidentId,
  reporterId,
  personIds,
  told,
}: ClaimedEvent) => ({
  fact: { kind, organizationId, eventId, incidentId, reporterId },
  told,
  changed: kind === "role.changed" ? personIds : [],
});

/**
 * Claims events that no other process holds, in the order in which they were written, and inserts notifications for
 * the recipients, except the actor and whoever turned them off; one statement for all of them.
 */
const claimAndNotify = (tx: SqlClient, id: bigint | undefined) => tx.$queryRaw<ClaimedEvent[]>`
  with next as (
    select id from untold_facts where kind = any(${[...OUTBOX_EVENT_KINDS]}::text[])
      and ${id === undefined ? Prisma.sql`due_at <= now()` : Prisma.sql`id = ${id}::bigint`}
    order by id limit ${MAX_EVENTS_PER_BATCH}::bigint for update skip locked
  ), taken as (
    delete from untold_facts f using next where f.id = next.id returning f.*
  ), fact as (
    select t.*, i.reporter_id, i.assigned_responder_id as assignee_id
    from taken t join organizations o on o.id = t.organization_id
    left join events e on e.id = t.event_id and e.organization_id = o.id
    left join incidents i on i.id = t.incident_id and i.event_id = e.id
    where (t.event_id is null or e.id is not null) and (t.incident_id is null or i.id is not null)
  ), recipient as (${RECIPIENTS_SQL}), wish as (
    select f.*, u.id as user_id, coalesce(c.in_app, true) as in_app,
      coalesce(c.mail::text, ${JSON.stringify(DEFAULT_MAIL_FREQUENCIES)}::jsonb ->> f.kind) as mail
    from (select distinct cause, user_id from recipient) r join fact f on f.cause = r.cause
    join users u on u.id = r.user_id and u.disabled_at is null
    left join notification_choices c on c.user_id = u.id and c.kind = f.kind
    where u.id is distinct from f.actor_id
  ), lately_mailed as (${RECENT_MAILS_SQL}
  ), notified as (
    insert into notifications (user_id, kind, organization_id, event_id, incident_id, cause, created_at, in_app,
      digest_due, mail_due)
    select w.user_id, w.kind, w.organization_id, w.event_id, w.incident_id, w.cause::text, w.at, w.in_app, ${digestDueSql},
      ${mailDueSql}
    from wish w where w.in_app or w.mail <> 'off'
    on conflict (user_id, cause) do nothing
    returning user_id, cause
  )
  select t.cause::text as cause, t.at, t.kind, t.actor_id as "actorId", t.organization_id as "organizationId",
    t.event_id as "eventId", t.incident_id as "incidentId", t.person_ids as "personIds", t.state,
    f.reporter_id as "reporterId", f.id is not null as there,
    exists (select 1 from webhooks w where w.organization_id = t.organization_id and w.disabled_at is null
      and ${changeKindSql} = any(w.kinds)) as webhooks,
    array(select n.user_id::text from notified n where n.cause = t.cause::text) as told
  from taken t left join fact f on f.id = t.id order by t.id`;

/** Like `toChangeKind`, for an event `t`. */
const changeKindSql = Prisma.sql`case t.kind when ${TEAM_ONLY_CHANGE} then ${toChangeKind(TEAM_ONLY_CHANGE)} else t.kind end`;

/** When the digest for a row `w` is due: at the next full hour, or at 08:00 UTC. */
const digestDueSql = Prisma.sql`case w.mail when 'hourly' then date_trunc('hour', now(), 'UTC') + interval '1 hour'
  when 'daily' then date_trunc('day', now() - interval '8 hours', 'UTC') + interval '32 hours' end`;

/** Recent mails to each person: when, of which kind, and about which event's reports. */
const RECENT_MAILS_SQL = Prisma.sql`
  select m.user_id, m.kind, m.event_id, max(m.mailed_at) as at from notifications m
  where m.user_id in (select user_id from wish) and m.created_at > now() - interval '10 minutes'
    and m.incident_id is not null and m.mailed_at is not null
  group by m.user_id, m.kind, m.event_id`;

/**
 * When the mail for a row `w` is due. Kinds that need action go out soon, unless a mail of that kind and event went
 * out a moment ago; other kinds wait to be batched (lib/notifications/mails.ts).
 */
const mailDueSql = Prisma.sql`case when w.mail <> 'now' then null
  when w.kind = any(${PROMPT_NOTIFICATION_KINDS}::text[]) then greatest(now() + make_interval(secs => ${MAIL_BATCH_SECONDS.prompt}::int),
    (select m.at + make_interval(secs => ${MAIL_BATCH_SECONDS.other}::int) from lately_mailed m
      where m.user_id = w.user_id and m.kind = w.kind and m.event_id = w.event_id))
  else now() + make_interval(secs => ${MAIL_BATCH_SECONDS.other}::int) end`;
