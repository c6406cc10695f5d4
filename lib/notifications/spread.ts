import { sqlTransaction } from "#lib/db.ts";
import { enqueueAll } from "#lib/jobs/enqueue.ts";
import { announce } from "#lib/live/announce.ts";
import { queueDeliveries } from "#lib/webhooks/deliveries.ts";
import type { Sql } from "#lib/sql.ts";
import type { Told } from "./facts.ts";
import { recipientsOf, type Scene } from "./recipients.ts";
import { DEFAULT_MAIL } from "./schema.ts";

/**
 * Spreads what happened: to the people concerned, to open pages, to webhooks. All in one transaction, so that a
 * repeated try tells nobody twice. What is gone meanwhile is told to nobody.
 */
export async function spread(told: Told): Promise<void> {
  await sqlTransaction(async (tx) => {
    const scene = await findScene(tx, told);
    if (!scene) return;
    const notified = await notify(tx, told, scene);
    const mails = notified.filter(({ mailNow }) => mailNow).map(({ id }) => ({ notificationId: id }));
    await enqueueAll(tx, "mail.notification", mails);
    await queueDeliveries(tx, told);
    await announce(tx, {
      fact: {
        kind: told.kind,
        organizationId: told.organizationId,
        eventId: told.eventId,
        incidentId: told.incidentId,
        reporterId: scene.reporterId,
      },
      told: notified.map(({ userId }) => userId),
      changed: told.kind === "role.changed" ? told.personIds : [],
    });
  });
}

async function findScene(tx: Sql, { organizationId, eventId, incidentId }: Told): Promise<Scene | undefined> {
  const [scene] = await tx.$queryRaw<Scene[]>`
    select i.reporter_id as "reporterId", i.assigned_responder_id as "assigneeId"
    from organizations o
    left join events e on e.id = ${eventId}::uuid and e.organization_id = o.id
    left join incidents i on i.id = ${incidentId}::uuid and i.event_id = e.id
    where o.id = ${organizationId}::uuid and (${eventId}::uuid is null or e.id is not null)
      and (${incidentId}::uuid is null or i.id is not null)`;
  return scene;
}

type Notified = { id: string; userId: string; mailNow: boolean };

/** One statement a fact: whoever is concerned, but not who did it, nor who wants none of it. */
async function notify(tx: Sql, told: Told, scene: Scene): Promise<Notified[]> {
  if (told.kind === "incident.changed") return [];
  const { kind, organizationId, eventId, incidentId, actorId, cause } = told;
  const mail = DEFAULT_MAIL[told.kind];
  return tx.$queryRaw<Notified[]>`
    with recipient as (${recipientsOf(told, scene)}), wish as (
      select u.id as user_id, coalesce(c.in_app, true) as in_app, coalesce(c.mail::text, ${mail}) as mail
      from (select distinct user_id from recipient) r
      join users u on u.id = r.user_id and u.disabled_at is null
      left join notification_choices c on c.user_id = u.id and c.kind = ${kind}
      where u.id is distinct from ${actorId}::uuid
    ), written as (
      insert into notifications (user_id, kind, organization_id, event_id, incident_id, cause, in_app, digest_due)
      select w.user_id, ${kind}, ${organizationId}::uuid, ${eventId}::uuid, ${incidentId}::uuid, ${cause}, w.in_app,
        case w.mail when 'hourly' then date_trunc('hour', now()) + interval '1 hour'
          when 'daily' then date_trunc('day', now() - interval '8 hours') + interval '1 day 8 hours' end
      from wish w where w.in_app or w.mail <> 'off'
      on conflict (user_id, cause) do nothing
      returning id, user_id
    )
    select n.id, n.user_id as "userId", w.mail = 'now' as "mailNow" from written n join wish w on w.user_id = n.user_id`;
}
