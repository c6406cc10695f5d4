import { computePageOffset } from "#lib/operation/fields.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { ORG_ADMIN_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import {
  WEBHOOK_DELIVERY_COLUMNS,
  TEST_WEBHOOK_KIND,
  WEBHOOK_COLUMNS,
  toWebhookRecord,
  type WebhookDeliveryRecord,
  type WebhookOrDeliveryListQuery,
  type WebhookPayload,
  type WebhookRecord,
} from "#lib/webhooks/schema.ts";
import type { WebhookDeliveryPermissionSubject, WebhookPermissionSubject } from "#lib/webhooks/scope.ts";

const NEWEST_FIRST = [{ createdAt: "desc" as const }, { id: "desc" as const }];

export async function listWebhooks(
  organizationId: string,
  { page, limit }: WebhookOrDeliveryListQuery,
): Promise<{ webhooks: WebhookRecord[]; total: number }> {
  const where = { organizationId };
  const [rows, total] = await Promise.all([
    prisma.webhook.findMany({
      where,
      orderBy: NEWEST_FIRST,
      select: WEBHOOK_COLUMNS,
      skip: computePageOffset(page, limit),
      take: limit,
    }),
    prisma.webhook.count({ where }),
  ]);
  return { webhooks: rows.map(toWebhookRecord), total };
}

/** Loads a webhook. @throws AppError NOT_FOUND, also for webhooks of other organizations */
export async function loadWebhook({
  organizationId,
  webhookId,
}: WebhookPermissionSubject): Promise<WebhookRecord> {
  const row = await prisma.webhook.findFirst({
    where: { id: webhookId, organizationId },
    select: WEBHOOK_COLUMNS,
  });
  if (!row) throw createNotFoundError("webhook");
  return toWebhookRecord(row);
}

/** Lists sent and waiting deliveries, newest first. @throws AppError NOT_FOUND without such a webhook */
export async function listWebhookDeliveryRecords(
  subject: WebhookPermissionSubject,
  { page, limit }: WebhookOrDeliveryListQuery,
): Promise<{ deliveries: WebhookDeliveryRecord[]; total: number }> {
  await loadWebhook(subject);
  const where = { webhookId: subject.webhookId };
  const [rows, total] = await Promise.all([
    prisma.webhookDelivery.findMany({
      where,
      orderBy: NEWEST_FIRST,
      select: WEBHOOK_DELIVERY_COLUMNS,
      skip: computePageOffset(page, limit),
      take: limit,
    }),
    prisma.webhookDelivery.count({ where }),
  ]);
  return { deliveries: rows.map(toDeliveryRecord), total };
}

/**
 * Checks that a webhook's delivery exists, which it no longer does once its incident is hidden from somebody.
 * @throws AppError NOT_FOUND
 */
export async function assertWebhookDeliveryExists({
  organizationId,
  webhookId,
  deliveryId,
}: WebhookDeliveryPermissionSubject): Promise<void> {
  const where = { id: deliveryId, webhookId, webhook: { organizationId } };
  if ((await prisma.webhookDelivery.count({ where })) === 0) throw createNotFoundError("delivery");
}

/** Loads a delivery that was just queued. */
export async function loadWebhookDelivery(id: string): Promise<WebhookDeliveryRecord> {
  const row = await prisma.webhookDelivery.findUnique({ where: { id }, select: WEBHOOK_DELIVERY_COLUMNS });
  if (!row) throw createNotFoundError("delivery");
  return toDeliveryRecord(row);
}

const toDeliveryRecord = <Row extends { payload: unknown }>(row: Row) => ({
  ...row,
  payload: row.payload as WebhookPayload,
});

type WaitingDelivery = {
  webhookId: string;
  url: string;
  secret: Uint8Array;
  payload: WebhookPayload;
  disabled: boolean;
  /** The incident that it is about is hidden from somebody. */
  hidden: boolean;
};

/**
 * Finds the webhook's next delivery without an attempt, tests excluded, since a test gets only one attempt of its own.
 */
export async function findNextUnattemptedDeliveryId(deliveryId: string): Promise<string | undefined> {
  const [next] = await sql.$queryRaw<{ id: string }[]>`
    select d.id from webhook_deliveries this join webhook_deliveries d on d.webhook_id = this.webhook_id
      and (d.created_at, d.id) >= (this.created_at, this.id)
    where this.id = ${deliveryId}::uuid and d.state = 'waiting' and d.attempts = 0 and d.kind <> ${TEST_WEBHOOK_KIND}
    order by d.created_at, d.id limit 1`;
  return next?.id;
}

/** Finds what is needed to send a delivery; undefined if it doesn't wait anymore. */
export async function findWaitingDelivery(deliveryId: string): Promise<WaitingDelivery | undefined> {
  const [row] = await sql.$queryRaw<WaitingDelivery[]>`
    select w.id as "webhookId", w.url, w.secret, d.payload, w.disabled_at is not null as disabled,
      is_incident_restricted((d.payload ->> 'incidentId')::uuid) as hidden
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.id = ${deliveryId}::uuid and d.state = 'waiting'`;
  return row;
}

type WebhookDisabledRecipient = {
  name: string;
  email: string;
  locale: string | null;
  place: string;
  slug: string;
};

/** Finds a current org_admin of a webhook's organization, to be told that the webhook was disabled. */
export async function findWebhookDisabledRecipient(
  webhookId: string,
  userId: string,
): Promise<WebhookDisabledRecipient | undefined> {
  const [recipient] = await sql.$queryRaw<WebhookDisabledRecipient[]>`
    select u.name, u.email, u.locale, o.name as place, o.slug from webhooks w
    join organizations o on o.id = w.organization_id
    join organization_members m on m.organization_id = o.id and m.role in ${ORG_ADMIN_ROLES_SQL} and not m.pending
    join users u on u.id = m.user_id and u.disabled_at is null and ${isEmailVerifiedIfRequiredSql()}
    where w.id = ${webhookId}::uuid and u.id = ${userId}::uuid and w.disabled_at is not null`;
  return recipient;
}
