import { randomBytes } from "node:crypto";
import type { OperationContext } from "#lib/operation/operation.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import { AppError, InvalidInputError, createNotFoundError } from "#lib/operation/errors.ts";
import { assertAndLockOrganizationAdmin, type OrganizationContext } from "#lib/organizations/members.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { sealText } from "#lib/crypto/sealed-text.ts";
import { queueWebhookTestOrRedelivery } from "#lib/webhooks/deliveries.ts";
import {
  MAX_WEBHOOKS_PER_ORGANIZATION,
  TEST_WEBHOOK_KIND,
  WEBHOOK_COLUMNS,
  toWebhookRecord,
  type NewWebhookInput,
  type WebhookPayload,
  type WebhookChangeInput,
  type WebhookRecord,
} from "#lib/webhooks/schema.ts";
import type { WebhookDeliveryPermissionSubject, WebhookPermissionSubject } from "#lib/webhooks/scope.ts";
import { PrivateTargetError, refusePrivateTarget } from "#lib/webhooks/targets.ts";

type WebhookContext = OperationContext<WebhookPermissionSubject, Actor>;
type DeliveryContext = OperationContext<WebhookDeliveryPermissionSubject, Actor>;

/**
 * Creates a webhook. @returns it and its signing secret, which is not shown again
 * @throws AppError VALIDATION_ERROR for a target in a private network, CONFLICT with too many webhooks
 */
export async function createWebhook(
  context: OrganizationContext,
  input: NewWebhookInput,
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const { organizationId, actor } = context;
  await assertPublicTarget(input.url);
  const secret = generateSecret();
  const webhook = await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    await assertWebhookLimit(tx, organizationId);
    const data = { ...input, organizationId, secret: sealText("webhook", secret), createdById: actor.id };
    const row = await tx.webhook.create({ data, select: WEBHOOK_COLUMNS });
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "webhook.create", { type: "webhook", id: row.id }, { kinds: input.kinds }),
    );
    return toWebhookRecord(row);
  });
  return { webhook, secret };
}

/**
 * Changes the given fields, unless none of them differs from what is stored.
 * @throws AppError NOT_FOUND, and VALIDATION_ERROR for a target in a private network
 */
export async function changeWebhook(
  context: WebhookContext,
  change: WebhookChangeInput,
): Promise<WebhookRecord> {
  const { organizationId, webhookId, actor } = context;
  if (change.url !== undefined) await assertPublicTarget(change.url);
  return runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const where = { id: webhookId, organizationId };
    const stored = await tx.webhook.findFirst({ where, select: WEBHOOK_COLUMNS });
    if (!stored) throw createNotFoundError("webhook");
    const fields = listChangedFields(toWebhookRecord(stored), change);
    if (fields.length === 0) return toWebhookRecord(stored);
    const { enabled, ...rest } = change;
    const row = await tx.webhook.update({
      where,
      data: { ...rest, ...(fields.includes("enabled") && buildEnabledColumns(enabled)) },
      select: WEBHOOK_COLUMNS,
    });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "webhook.change",
        { type: "webhook", id: webhookId },
        { fields, enabled: row.disabledAt === null },
      ),
    );
    return toWebhookRecord(row);
  });
}

function buildEnabledColumns(enabled: boolean | undefined) {
  if (enabled === undefined) return {};
  return enabled
    ? { disabledAt: null, disabledReason: null, failingSince: null }
    : { disabledAt: new Date(), disabledReason: "person" };
}

/** Removes a webhook and its deliveries; waiting ones aren't sent. @throws AppError NOT_FOUND */
export async function deleteWebhook(context: WebhookContext): Promise<void> {
  const { organizationId, webhookId, actor } = context;
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const { count } = await tx.webhook.deleteMany({ where: { id: webhookId, organizationId } });
    if (count === 0) throw createNotFoundError("webhook");
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "webhook.delete", { type: "webhook", id: webhookId }),
    );
  });
}

/** Creates a new secret, shown only once; the old one stops at once. @throws AppError NOT_FOUND */
export async function rotateWebhookSecret(context: WebhookContext): Promise<string> {
  const { organizationId, webhookId, actor } = context;
  const secret = generateSecret();
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const { count } = await tx.webhook.updateMany({
      where: { id: webhookId, organizationId },
      data: { secret: sealText("webhook", secret) },
    });
    if (count === 0) throw createNotFoundError("webhook");
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "webhook.rotateSecret", { type: "webhook", id: webhookId }),
    );
  });
  return secret;
}

/** Queues a test message, with a single attempt, even while the webhook is disabled. @returns its id */
export async function testWebhook(context: WebhookContext): Promise<string> {
  const { organizationId, webhookId, actor } = context;
  return runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const existing = await tx.webhook.count({ where: { id: webhookId, organizationId } });
    if (existing === 0) throw createNotFoundError("webhook");
    const at = new Date().toISOString();
    const payload = {
      kind: TEST_WEBHOOK_KIND,
      at,
      organizationId,
      eventId: null,
      incidentId: null,
      state: null,
    };
    const id = await queueWebhookTestOrRedelivery(tx, { webhookId, payload });
    await appendAuditEntry(tx, buildAuditEntry(context, "webhook.test", { type: "webhook", id: webhookId }));
    return id;
  });
}

/**
 * Sends a delivery again, as a new delivery with its own id.
 * @returns the new delivery's id
 * @throws AppError NOT_FOUND, CONFLICT while the webhook is disabled
 */
export async function redeliverWebhook(context: DeliveryContext): Promise<string> {
  const { organizationId, webhookId, deliveryId, actor } = context;
  return runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const existing = await tx.webhookDelivery.findFirst({
      where: { id: deliveryId, webhookId, webhook: { organizationId } },
      select: { payload: true, webhook: { select: { disabledAt: true } } },
    });
    if (!existing) throw createNotFoundError("delivery");
    if (existing.webhook.disabledAt) throw new AppError("CONFLICT", "webhookDisabled");
    const id = await queueWebhookTestOrRedelivery(tx, {
      webhookId,
      payload: existing.payload as WebhookPayload,
    });
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "webhook.redeliver", { type: "webhook", id: webhookId }, { deliveryId }),
    );
    return id;
  });
}

async function assertPublicTarget(url: string): Promise<void> {
  await refusePrivateTarget(new URL(url)).catch((error: unknown) => {
    if (error instanceof PrivateTargetError)
      throw new InvalidInputError({ url: createFieldProblem("mustBePublicAddress") });
    throw error;
  });
}

const generateSecret = (): string => `whsec_${randomBytes(32).toString("base64url")}`;

/** Locks the organization's row, so that concurrent requests can't exceed the limit. */
async function assertWebhookLimit(tx: Tx, organizationId: string): Promise<void> {
  await lockRow(tx, { table: "organizations", id: organizationId });
  const count = await tx.webhook.count({ where: { organizationId } });
  if (count >= MAX_WEBHOOKS_PER_ORGANIZATION)
    throw new AppError("CONFLICT", "tooManyWebhooks", { max: MAX_WEBHOOKS_PER_ORGANIZATION });
}
