import { randomUUID } from "node:crypto";
import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, sql, type Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { moveWebhookJobsBehindOtherOrganizations } from "#lib/jobs/library-tables.ts";
import { composeWebhookDisabledMail } from "#lib/mail/messages.ts";
import { sendMail } from "#lib/mail/send.ts";
import { toPublishedChangeKind, type OutboxEventToDispatch } from "#lib/jobs/outbox-events.ts";
import { unsealText } from "#lib/crypto/sealed-text.ts";
import {
  findNextUnattemptedDeliveryId,
  findWaitingDelivery,
  findWebhookDisabledRecipient,
} from "#lib/webhooks/queries.ts";
import { WebhookMessage } from "#lib/webhooks/message.ts";
import { TEST_WEBHOOK_KIND, type WebhookPayload } from "#lib/webhooks/schema.ts";
import { postWebhook, type WebhookAttemptResult } from "#lib/webhooks/sending.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { chooseJobPriority } from "#lib/jobs/queues.ts";
import { ORG_ADMIN_ROLES } from "#lib/access/role-sets.ts";

/** A webhook whose deliveries have all failed for this many days is disabled. */
const MAX_FAILING_DAYS = 3;
const RETENTION_MS = 30 * 24 * 3600_000;

/**
 * Queues one delivery of each event for each subscribed webhook of its organization, in order. Webhooks get no events
 * of incidents that are hidden from anybody (contract 16.6).
 */
export async function queueWebhookDeliveries(tx: SqlClient, events: OutboxEventToDispatch[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    ...event,
    kind: toPublishedChangeKind(event.kind),
    payload: toWebhookPayload(event),
  }));
  await tx.$executeRaw`
    with new_deliveries as (
      insert into webhook_deliveries (webhook_id, kind, payload, deduplication_id, created_at)
      select w.id, e.kind, e.payload, e."deduplicationId", e.at
      from json_to_recordset(${JSON.stringify(rows)}::json) as e("deduplicationId" text, kind text, at timestamptz, "organizationId" uuid, "incidentId" uuid, payload jsonb)
      join webhooks w on w.organization_id = e."organizationId" and w.disabled_at is null and e.kind = any(w.kinds)
      where not is_incident_restricted(e."incidentId")
      on conflict (webhook_id, deduplication_id) do nothing
      returning id, webhook_id
    )
    select graphile_worker.add_job(identifier => 'webhook.deliver',
      payload => json_build_object('deliveryId', id), queue_name => 'webhook:' || webhook_id) from new_deliveries`;
}

const toWebhookPayload = ({
  kind,
  publicAt,
  organizationId,
  eventId,
  incidentId,
  state,
}: OutboxEventToDispatch): WebhookPayload => ({
  kind: toPublishedChangeKind(kind),
  at: publicAt.toISOString(),
  organizationId,
  eventId,
  incidentId,
  state,
});

/** Queues a single delivery: a test or a redelivery. @returns its id */
export async function queueWebhookTestOrRedelivery(
  tx: Tx,
  { webhookId, payload }: { webhookId: string; payload: WebhookPayload },
): Promise<string> {
  const id = randomUUID();
  const data = { id, webhookId, kind: payload.kind, payload, deduplicationId: id };
  await tx.webhookDelivery.create({ data, select: { id: true } });
  const options = {
    queue: `webhook:${webhookId}`,
    ...(payload.kind === TEST_WEBHOOK_KIND ? { maxAttempts: 1 } : {}),
  };
  await enqueueJob(tx, "webhook.deliver", { deliveryId: id }, options);
  return id;
}

/** Thrown when a receiver didn't accept a delivery. The job is retried; the service itself is fine. */
export class WebhookReceiverError extends Error {
  override readonly name = "WebhookReceiverError";
}

/** How long one job continues with its webhook's next deliveries. */
const MAX_FOLLOW_UP_MS = 5000;

/**
 * Sends one delivery and then, as long as the receiver accepts them, its webhook's next ones: their own jobs wait for
 * this one, and the queue polls for those only every two seconds. Each then finds its delivery already sent. The
 * organization's other due deliveries wait until each other organization has had its turn.
 * @param isLast whether this is the last attempt
 * @throws WebhookReceiverError if the delivery failed and is retried later
 */
export async function attemptWebhookDeliveryAndFollowing(deliveryId: string, isLast: boolean): Promise<void> {
  await moveWebhookJobsBehindOtherOrganizations(deliveryId);
  if (!(await sendDelivery(deliveryId, isLast))) return;
  const end = performance.now() + MAX_FOLLOW_UP_MS;
  for (
    let next = await findNextUnattemptedDeliveryId(deliveryId);
    next && performance.now() < end;
    next = await findNextUnattemptedDeliveryId(next)
  )
    if (!(await sendDelivery(next, false).catch(() => false))) return;
}

/**
 * Sends a delivery, unless it was sent already. Deletes one of an incident that was hidden from somebody just while the
 * delivery was being queued: hiding the incident couldn't see it.
 * @returns false if the receiver didn't accept it at the last attempt, so the next deliveries wait for their own jobs;
 *   true also if nothing had to be sent
 * @throws WebhookReceiverError if the delivery is retried later
 */
async function sendDelivery(deliveryId: string, isLast: boolean): Promise<boolean> {
  const waiting = await findWaitingDelivery(deliveryId);
  if (!waiting) return true;
  if (waiting.hidden) {
    await prisma.webhookDelivery.deleteMany({ where: { id: deliveryId } });
    return true;
  }
  const { webhookId, url, payload } = waiting;
  if (waiting.disabled && payload.kind !== TEST_WEBHOOK_KIND) {
    await failDelivery(deliveryId);
    return true;
  }
  const secret = unsealText("webhook", waiting.secret);
  const outcome = await postWebhook({
    id: deliveryId,
    url,
    secret,
    body: serializeMessage(deliveryId, payload),
  });
  const outcomeState = isAccepted(outcome) ? "delivered" : isLast ? "failed" : "waiting";
  const state = await recordAttempt({ deliveryId, webhookId, outcome, state: outcomeState });
  if (state === "waiting") throw new WebhookReceiverError("the delivery failed");
  return state === "delivered";
}

/** Parses the message against its schema, so that no other field of a row is ever sent. */
const serializeMessage = (id: string, payload: WebhookPayload): string =>
  JSON.stringify(WebhookMessage.parse({ id, ...payload }));

const isAccepted = ({ status }: WebhookAttemptResult) => status !== null && status >= 200 && status < 300;

async function failDelivery(deliveryId: string): Promise<void> {
  await prisma.webhookDelivery.updateMany({
    where: { id: deliveryId, state: "waiting" },
    data: { state: "failed", failure: "disabled" },
  });
  await roundDeliveryTimes(sql, deliveryId);
}

type DeliveryAttempt = {
  deliveryId: string;
  webhookId: string;
  outcome: WebhookAttemptResult;
  state: "delivered" | "failed" | "waiting";
};

/**
 * Records an attempt.
 * @returns the delivery's state. One that would wait fails if the attempt disables its webhook, which sends nothing more
 */
async function recordAttempt(attempt: DeliveryAttempt): Promise<DeliveryAttempt["state"]> {
  const { deliveryId, webhookId } = attempt;
  return runTransaction(async (tx) => {
    // Locks the webhook before its deliveries, in the same order as its deletion; the reverse order would deadlock.
    await lockRow(tx, { table: "webhooks", id: webhookId });
    const kind = await storeAttempt(tx, attempt);
    const isOfEvent = kind !== undefined && kind !== TEST_WEBHOOK_KIND;
    if (isOfEvent && attempt.state === "delivered") await clearWebhookFailure(tx, webhookId);
    const failing = isOfEvent && attempt.state !== "delivered" && (await recordWebhookFailure(tx, webhookId));
    const isDisabling = failing && failing.lasting;
    const state = isDisabling ? "failed" : attempt.state;
    if (state !== attempt.state)
      await tx.webhookDelivery.updateMany({ where: { id: deliveryId }, data: { state } });
    if (state !== "waiting") await roundDeliveryTimes(tx, deliveryId);
    if (isDisabling) await disableFailingWebhook(tx, { webhookId, ...failing });
    return state;
  });
}

/** Stores an attempt in its delivery. @returns the delivery's kind; undefined if it was deleted meanwhile */
async function storeAttempt(
  tx: Tx,
  { deliveryId, outcome, state }: DeliveryAttempt,
): Promise<string | undefined> {
  const { status, failure, durationMs } = outcome;
  const now = new Date();
  const [delivery] = await tx.webhookDelivery.updateManyAndReturn({
    where: { id: deliveryId },
    data: {
      state,
      attempts: { increment: 1 },
      responseStatus: status,
      failure,
      durationMs,
      attemptedAt: now,
      deliveredAt: state === "delivered" ? now : null,
    },
    select: { kind: true },
  });
  return delivery?.kind;
}

/** Past Prisma, which would set updated_at: the webhook's owner has changed nothing. */
const clearWebhookFailure = (tx: Tx, webhookId: string): Promise<number> => tx.$executeRaw`
  update webhooks set failing_since = null where id = ${webhookId}::uuid and failing_since is not null`;

/**
 * Rounds the times of a finished delivery as those of its event are rounded: they would tell when somebody reported
 * without a name. They are exact while it waits, for the order of deliveries.
 */
const roundDeliveryTimes = (client: SqlClient, deliveryId: string): Promise<number> => client.$executeRaw`
  update webhook_deliveries set created_at = date_bin(r.step, created_at, r.origin),
    attempted_at = date_bin(r.step, attempted_at, r.origin), delivered_at = date_bin(r.step, delivered_at, r.origin)
  from (select case when d.payload ->> 'at' like '%T00:00:00.000Z' then interval '1 day' else interval '15 minutes' end as step,
      timestamptz '2000-01-01 00:00:00+00' as origin
    from webhook_deliveries d
    where d.id = ${deliveryId}::uuid and d.kind <> ${TEST_WEBHOOK_KIND} and d.payload ->> 'at' ~ ':(00|15|30|45):00\\.000Z$') r
  where id = ${deliveryId}::uuid`;

type FailingWebhook = { organizationId: string; lasting: boolean };

/** Records since when a webhook fails. @returns whether it has lasted too long; undefined if it is disabled already */
async function recordWebhookFailure(tx: Tx, webhookId: string): Promise<FailingWebhook | undefined> {
  const [webhook] = await tx.$queryRaw<FailingWebhook[]>`
    update webhooks set failing_since = coalesce(failing_since, now())
    where id = ${webhookId}::uuid and disabled_at is null
    returning organization_id as "organizationId",
      failing_since < now() - make_interval(days => ${MAX_FAILING_DAYS}::int) as lasting`;
  return webhook;
}

/** Disables a webhook and queues a mail to each org_admin. */
async function disableFailingWebhook(
  tx: Tx,
  { webhookId, organizationId }: { webhookId: string; organizationId: string },
): Promise<void> {
  await tx.webhook.update({
    where: { id: webhookId },
    data: { disabledAt: new Date(), disabledReason: "failures" },
    select: { id: true },
  });
  await tx.$executeRaw`
    select graphile_worker.add_job(identifier => 'mail.webhookDisabled',
      payload => json_build_object('webhookId', ${webhookId}::text, 'userId', m.user_id),
      priority => ${chooseJobPriority("mail.webhookDisabled")}::int)
    from organization_members m where m.organization_id = ${organizationId}::uuid and not m.pending
      and m.role = any(${ORG_ADMIN_ROLES}::organization_role[])`;
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry({ organizationId, right: "service" }, "webhook.disable", {
      type: "webhook",
      id: webhookId,
    }),
  );
}

/** Tells a current org_admin that a webhook was disabled. */
export async function sendWebhookDisabledMail(webhookId: string, userId: string): Promise<void> {
  const recipient = await findWebhookDisabledRecipient(webhookId, userId);
  if (!recipient) return;
  const { name, email, locale, place, slug } = recipient;
  const url = `${env().baseUrl}/orgs/${slug}/webhooks`;
  await sendMail({
    to: email,
    message: composeWebhookDisabledMail({ name, locale, place, days: MAX_FAILING_DAYS, url }),
  });
}

/** Deletes deliveries older than 30 days. */
export async function deleteOldWebhookDeliveries(): Promise<void> {
  await prisma.webhookDelivery.deleteMany({
    where: { createdAt: { lt: new Date(Date.now() - RETENTION_MS) } },
  });
}
