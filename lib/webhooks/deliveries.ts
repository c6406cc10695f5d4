import { randomUUID } from "node:crypto";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction, type Tx } from "#lib/db.ts";
import { env } from "#lib/env.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { webhookDisabled } from "#lib/mail/messages.ts";
import { deliver } from "#lib/mail/send.ts";
import type { Told } from "#lib/notifications/facts.ts";
import { openText } from "#lib/sealed.ts";
import { TEST_KIND, type Payload } from "#lib/webhooks/schema.ts";
import { post, type Outcome } from "#lib/webhooks/sending.ts";
import type { Sql } from "#lib/sql.ts";

/** A webhook whose every delivery has failed for this long is turned off. */
export const FAILING_DAYS = 3;
const KEPT_DAYS = 30;

/** One delivery for each webhook of the organization that wants to hear of it; a repeated job makes no second one. */
export async function queueDeliveries(tx: Sql, told: Told): Promise<void> {
  const { kind, organizationId, eventId, incidentId, state } = told;
  const at = told.at ?? new Date().toISOString();
  const payload: Payload = { kind, at, organizationId, eventId, incidentId, state };
  await tx.$executeRaw`
    with made as (
      insert into webhook_deliveries (webhook_id, kind, payload, cause)
      select w.id, ${kind}, ${JSON.stringify(payload)}::jsonb, ${told.cause} from webhooks w
      where w.organization_id = ${organizationId}::uuid and w.disabled_at is null and ${kind} = any(w.kinds)
      on conflict (webhook_id, cause) do nothing
      returning id, webhook_id
    )
    select graphile_worker.add_job(identifier => 'webhook.deliver',
      payload => json_build_object('deliveryId', id), queue_name => 'webhook:' || webhook_id) from made`;
}

/** One delivery beside what happens: a test, or one that is sent again. @returns its id */
export async function queueDelivery(
  tx: Tx,
  { webhookId, payload }: { webhookId: string; payload: Payload },
): Promise<string> {
  const id = randomUUID();
  const data = { id, webhookId, kind: payload.kind, payload, cause: id };
  await tx.webhookDelivery.create({ data, select: { id: true } });
  const options = {
    queue: `webhook:${webhookId}`,
    ...(payload.kind === TEST_KIND ? { maxAttempts: 1 } : {}),
  };
  await enqueue(tx, "webhook.deliver", { deliveryId: id }, options);
  return id;
}

type Waiting = {
  webhookId: string;
  url: string;
  secret: Uint8Array;
  payload: Payload;
  disabled: boolean;
};

/**
 * Sends one delivery. Its webhook's other deliveries wait meanwhile.
 * @param isLast whether nobody tries again after this
 * @throws Error when it failed and is to be tried again
 */
export async function attemptDelivery(deliveryId: string, isLast: boolean): Promise<void> {
  const waiting = await findWaiting(deliveryId);
  if (!waiting) return;
  const { webhookId, url, payload } = waiting;
  if (waiting.disabled && payload.kind !== TEST_KIND) return giveUp(deliveryId);
  const secret = openText("webhook", waiting.secret);
  const outcome = await post({ id: deliveryId, url, secret, body: bodyOf(deliveryId, payload) });
  const state = isTaken(outcome) ? "delivered" : isLast ? "failed" : "waiting";
  const turnedOff = await record({ deliveryId, webhookId, outcome, state });
  if (state === "waiting" && !turnedOff) throw new Error("the delivery failed");
}

/** Member by member, so that nothing else that a row might hold is ever sent. */
const bodyOf = (id: string, { kind, at, organizationId, eventId, incidentId, state }: Payload): string =>
  JSON.stringify({ id, kind, at, organizationId, eventId, incidentId, state });

const isTaken = ({ status }: Outcome) => status !== null && status >= 200 && status < 300;

async function findWaiting(deliveryId: string): Promise<Waiting | undefined> {
  const [row] = await db.$queryRaw<Waiting[]>`
    select w.id as "webhookId", w.url, w.secret, d.payload, w.disabled_at is not null as disabled
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.id = ${deliveryId}::uuid and d.state = 'waiting'`;
  return row;
}

async function giveUp(deliveryId: string): Promise<void> {
  await db.$executeRaw`
    update webhook_deliveries set state = 'failed', failure = 'disabled'
    where id = ${deliveryId}::uuid and state = 'waiting'`;
}

type Attempt = {
  deliveryId: string;
  webhookId: string;
  outcome: Outcome;
  state: "delivered" | "failed" | "waiting";
};

/** Keeps what came of it. @returns whether the webhook was turned off by it */
async function record({ deliveryId, webhookId, outcome, state }: Attempt): Promise<boolean> {
  const { status, failure, durationMs } = outcome;
  return transaction(async (tx) => {
    const [delivery] = await tx.$queryRaw<{ kind: string }[]>`
      update webhook_deliveries set state = ${state}::delivery_state, attempts = attempts + 1,
        response_status = ${status}::int, failure = ${failure}, duration_ms = ${durationMs}::int, attempted_at = now(),
        delivered_at = case when ${state} = 'delivered' then now() end
      where id = ${deliveryId}::uuid returning kind`;
    if (!delivery || delivery.kind === TEST_KIND) return false;
    if (state !== "delivered") return noteFailure(tx, webhookId);
    await tx.$executeRaw`
      update webhooks set failing_since = null where id = ${webhookId}::uuid and failing_since is not null`;
    return false;
  });
}

async function noteFailure(tx: Tx, webhookId: string): Promise<boolean> {
  const [webhook] = await tx.$queryRaw<{ organizationId: string; lasting: boolean }[]>`
    update webhooks set failing_since = coalesce(failing_since, now())
    where id = ${webhookId}::uuid and disabled_at is null
    returning organization_id as "organizationId",
      failing_since < now() - make_interval(days => ${FAILING_DAYS}::int) as lasting`;
  if (!webhook?.lasting) return false;
  const { organizationId } = webhook;
  await tx.$executeRaw`
    update webhooks set disabled_at = now(), disabled_reason = 'failures' where id = ${webhookId}::uuid`;
  await tx.$executeRaw`
    select graphile_worker.add_job(identifier => 'mail.webhookDisabled',
      payload => json_build_object('webhookId', ${webhookId}::text, 'userId', m.user_id))
    from organization_members m where m.organization_id = ${organizationId}::uuid and m.role = 'org_admin'`;
  await audit(tx, {
    action: "webhook.disable",
    organizationId,
    actorId: null,
    right: "service",
    object: { type: "webhook", id: webhookId },
  });
  return true;
}

/** Tells an org_admin, who must still be one, that a webhook was turned off. */
export async function mailWebhookDisabled(webhookId: string, userId: string): Promise<void> {
  const [found] = await db.$queryRaw<{ name: string; email: string; place: string; slug: string }[]>`
    select u.name, u.email, o.name as place, o.slug from webhooks w
    join organizations o on o.id = w.organization_id
    join organization_members m on m.organization_id = o.id and m.role = 'org_admin'
    join users u on u.id = m.user_id and u.disabled_at is null
    where w.id = ${webhookId}::uuid and u.id = ${userId}::uuid and w.disabled_at is not null`;
  if (!found) return;
  const { name, email, place, slug } = found;
  const url = `${env().baseUrl}/orgs/${slug}/webhooks`;
  await deliver({ to: email, message: webhookDisabled({ name, place, days: FAILING_DAYS, url }) });
}

/** Removes deliveries that are older than 30 days. */
export const sweepDeliveries = (): Promise<number> => db.$executeRaw`
  delete from webhook_deliveries where created_at < now() - make_interval(days => ${KEPT_DAYS}::int)`;
