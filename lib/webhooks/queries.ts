import { prisma } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import {
  DELIVERY_COLUMNS,
  WEBHOOK_COLUMNS,
  toWebhookRecord,
  type WebhookDeliveryRecord,
  type WebhookPageQuery,
  type WebhookPayload,
  type WebhookRecord,
} from "#lib/webhooks/schema.ts";
import type { WebhookSubject } from "#lib/webhooks/scope.ts";

const NEWEST_FIRST = [{ createdAt: "desc" as const }, { id: "desc" as const }];

export async function listWebhooks(
  organizationId: string,
  { page, limit }: WebhookPageQuery,
): Promise<{ webhooks: WebhookRecord[]; total: number }> {
  const where = { organizationId };
  const [rows, total] = await Promise.all([
    prisma.webhook.findMany({
      where,
      orderBy: NEWEST_FIRST,
      select: WEBHOOK_COLUMNS,
      skip: (page - 1) * limit,
      take: limit,
    }),
    prisma.webhook.count({ where }),
  ]);
  return { webhooks: rows.map(toWebhookRecord), total };
}

/** Loads a webhook. @throws AppError NOT_FOUND, also for webhooks of other organizations */
export async function loadWebhook({ organizationId, webhookId }: WebhookSubject): Promise<WebhookRecord> {
  const row = await prisma.webhook.findFirst({
    where: { id: webhookId, organizationId },
    select: WEBHOOK_COLUMNS,
  });
  if (!row) throw createNotFoundError("webhook");
  return toWebhookRecord(row);
}

/** Lists sent and waiting deliveries, newest first. @throws AppError NOT_FOUND without such a webhook */
export async function listDeliveries(
  subject: WebhookSubject,
  { page, limit }: WebhookPageQuery,
): Promise<{ deliveries: WebhookDeliveryRecord[]; total: number }> {
  await loadWebhook(subject);
  const where = { webhookId: subject.webhookId };
  const [rows, total] = await Promise.all([
    prisma.webhookDelivery.findMany({
      where,
      orderBy: NEWEST_FIRST,
      select: DELIVERY_COLUMNS,
      skip: (page - 1) * limit,
      take: limit,
    }),
    prisma.webhookDelivery.count({ where }),
  ]);
  return { deliveries: rows.map(toDeliveryRecord), total };
}

/** Loads a delivery that was just queued. */
export async function loadDelivery(id: string): Promise<WebhookDeliveryRecord> {
  const row = await prisma.webhookDelivery.findUnique({ where: { id }, select: DELIVERY_COLUMNS });
  if (!row) throw createNotFoundError("delivery");
  return toDeliveryRecord(row);
}

const toDeliveryRecord = <Row extends { payload: unknown }>(row: Row) => ({
  ...row,
  payload: row.payload as WebhookPayload,
});
