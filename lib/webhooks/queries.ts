import { computePageOffset } from "#lib/operation/fields.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { ORG_ADMIN_ROLES } from "#lib/access/role-sets.ts";
import { isActivePerson } from "#lib/access/usable-roles.ts";
import { filterRestrictedIncidentIds } from "#lib/audit/queries.ts";
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

/**
 * Finds the webhook's next delivery without an attempt, tests excluded, since a test gets only one attempt of its own.
 */
export async function findNextUnattemptedDeliveryId(deliveryId: string): Promise<string | undefined> {
  const sent = await prisma.webhookDelivery.findUnique({
    where: { id: deliveryId },
    select: { webhookId: true, createdAt: true },
  });
  if (!sent) return undefined;
  const { webhookId, createdAt } = sent;
  const next = await prisma.webhookDelivery.findFirst({
    where: {
      webhookId,
      state: "waiting",
      attempts: 0,
      kind: { not: TEST_WEBHOOK_KIND },
      OR: [{ createdAt: { gt: createdAt } }, { createdAt, id: { gte: deliveryId } }],
    },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: { id: true },
  });
  return next?.id;
}

/**
 * Finds what is needed to send a delivery, and whether the incident that it is about is hidden from somebody; undefined if it
 * doesn't wait anymore.
 */
export async function findWaitingDelivery(deliveryId: string) {
  const row = await prisma.webhookDelivery.findFirst({
    where: { id: deliveryId, state: "waiting" },
    select: { payload: true, webhook: { select: { id: true, url: true, secret: true, disabledAt: true } } },
  });
  if (!row) return undefined;
  const { payload, webhook } = toDeliveryRecord(row);
  const { id: webhookId, url, secret, disabledAt } = webhook;
  const restricted = await filterRestrictedIncidentIds(sql, payload.incidentId ? [payload.incidentId] : []);
  return { webhookId, url, secret, payload, disabled: disabledAt !== null, hidden: restricted.length > 0 };
}

/** Finds a current org_admin of a webhook's organization, to be told that the webhook was disabled. */
export async function findWebhookDisabledRecipient(webhookId: string, userId: string) {
  const admin = await prisma.organizationMember.findFirst({
    where: {
      userId,
      role: { in: ORG_ADMIN_ROLES },
      pending: false,
      user: isActivePerson(),
      organization: { webhooks: { some: { id: webhookId, disabledAt: { not: null } } } },
    },
    select: {
      user: { select: { name: true, email: true, locale: true } },
      organization: { select: { name: true, slug: true } },
    },
  });
  return admin ? { ...admin.user, place: admin.organization.name, slug: admin.organization.slug } : undefined;
}
