import { randomBytes } from "node:crypto";
import type { Context } from "#lib/operation/operation.ts";
import type { Action } from "#lib/audit/actions.ts";
import { audit, type Deed } from "#lib/audit/audit.ts";
import { transaction, type Tx } from "#lib/database/client.ts";
import { AppError, InvalidInput, notFound } from "#lib/operation/errors.ts";
import { holdOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationSubject } from "#lib/organizations/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { sealText } from "#lib/crypto/sealed-text.ts";
import { queueDelivery } from "#lib/webhooks/deliveries.ts";
import {
  MAX_WEBHOOKS,
  TEST_KIND,
  WEBHOOK_COLUMNS,
  webhookOf,
  type NewWebhook,
  type Payload,
  type WebhookChange,
  type WebhookRecord,
} from "#lib/webhooks/schema.ts";
import type { DeliverySubject, WebhookSubject } from "#lib/webhooks/scope.ts";
import { PrivateTarget, refusePrivateTarget } from "#lib/webhooks/targets.ts";

type Doing = Context<OrganizationSubject, Actor>;
type DoingToWebhook = Context<WebhookSubject, Actor>;
type DoingToDelivery = Context<DeliverySubject, Actor>;

/**
 * Sets up a webhook. @returns it, and the secret that signs its deliveries, which is not shown again
 * @throws AppError VALIDATION_ERROR for a target in a private network, CONFLICT with too many of them
 */
export async function createWebhook(
  doing: Doing,
  wanted: NewWebhook,
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const { organizationId, actor } = doing;
  await mustBePublic(wanted.url);
  const secret = newSecret();
  const webhook = await transaction(async (tx) => {
    await holdOrganizationAdmin(tx, actor, organizationId);
    await refuseTooMany(tx, organizationId);
    const data = { ...wanted, organizationId, secret: sealText("webhook", secret), createdById: actor.id };
    const row = await tx.webhook.create({ data, select: WEBHOOK_COLUMNS });
    await audit(tx, deed({ ...doing, webhookId: row.id }, "webhook.create", { kinds: wanted.kinds }));
    return webhookOf(row);
  });
  return { webhook, secret };
}

/** Changes what is given. @throws AppError NOT_FOUND, and VALIDATION_ERROR for a target in a private network */
export async function changeWebhook(doing: DoingToWebhook, change: WebhookChange): Promise<WebhookRecord> {
  const { organizationId, webhookId, actor } = doing;
  const { enabled, ...rest } = change;
  if (rest.url !== undefined) await mustBePublic(rest.url);
  return transaction(async (tx) => {
    await holdOrganizationAdmin(tx, actor, organizationId);
    const [row] = await tx.webhook.updateManyAndReturn({
      where: { id: webhookId, organizationId },
      data: { ...rest, ...switched(enabled) },
      select: WEBHOOK_COLUMNS,
    });
    if (!row) throw notFound("This webhook");
    const fields = Object.keys(change);
    await audit(tx, deed(doing, "webhook.change", { fields, enabled: row.disabledAt === null }));
    return webhookOf(row);
  });
}

function switched(enabled: boolean | undefined) {
  if (enabled === undefined) return {};
  return enabled
    ? { disabledAt: null, disabledReason: null, failingSince: null }
    : { disabledAt: new Date(), disabledReason: "person" };
}

/** Removes a webhook and its deliveries; those that wait are not sent any more. @throws AppError NOT_FOUND */
export async function deleteWebhook(doing: DoingToWebhook): Promise<void> {
  const { organizationId, webhookId, actor } = doing;
  await transaction(async (tx) => {
    await holdOrganizationAdmin(tx, actor, organizationId);
    const { count } = await tx.webhook.deleteMany({ where: { id: webhookId, organizationId } });
    if (count === 0) throw notFound("This webhook");
    await audit(tx, deed(doing, "webhook.delete"));
  });
}

/** Gives it a new secret, shown this once; the old one signs nothing from now on. @throws AppError NOT_FOUND */
export async function rotateSecret(doing: DoingToWebhook): Promise<string> {
  const { organizationId, webhookId, actor } = doing;
  const secret = newSecret();
  await transaction(async (tx) => {
    await holdOrganizationAdmin(tx, actor, organizationId);
    const { count } = await tx.webhook.updateMany({
      where: { id: webhookId, organizationId },
      data: { secret: sealText("webhook", secret) },
    });
    if (count === 0) throw notFound("This webhook");
    await audit(tx, deed(doing, "webhook.rotateSecret"));
  });
  return secret;
}

/** Queues a message that tells of nothing; tried once, also while the webhook is turned off. @returns its id */
export async function testWebhook(doing: DoingToWebhook): Promise<string> {
  const { organizationId, webhookId, actor } = doing;
  return transaction(async (tx) => {
    await holdOrganizationAdmin(tx, actor, organizationId);
    const found = await tx.webhook.count({ where: { id: webhookId, organizationId } });
    if (found === 0) throw notFound("This webhook");
    const at = new Date().toISOString();
    const payload = { kind: TEST_KIND, at, organizationId, eventId: null, incidentId: null, state: null };
    const id = await queueDelivery(tx, { webhookId, payload });
    await audit(tx, deed(doing, "webhook.test"));
    return id;
  });
}

/**
 * Sends once more what was sent, or could not be, as a new delivery with an id of its own.
 * @returns the new one's id
 * @throws AppError NOT_FOUND, CONFLICT while the webhook is turned off
 */
export async function redeliver(doing: DoingToDelivery): Promise<string> {
  const { organizationId, webhookId, deliveryId, actor } = doing;
  return transaction(async (tx) => {
    await holdOrganizationAdmin(tx, actor, organizationId);
    const found = await tx.webhookDelivery.findFirst({
      where: { id: deliveryId, webhookId, webhook: { organizationId } },
      select: { payload: true, webhook: { select: { disabledAt: true } } },
    });
    if (!found) throw notFound("This delivery");
    if (found.webhook.disabledAt)
      throw new AppError("CONFLICT", "This webhook is turned off.", "Turn it on first, then send again.");
    const id = await queueDelivery(tx, { webhookId, payload: found.payload as Payload });
    await audit(tx, deed(doing, "webhook.redeliver", { deliveryId }));
    return id;
  });
}

async function mustBePublic(url: string): Promise<void> {
  await refusePrivateTarget(new URL(url)).catch((error: unknown) => {
    if (error instanceof PrivateTarget) throw new InvalidInput({ url: "must lead to a public address" });
    throw error;
  });
}

const newSecret = (): string => `whsec_${randomBytes(32).toString("base64url")}`;

/** The organization's row is locked, so that two at once are not both the last that fits. */
async function refuseTooMany(tx: Tx, organizationId: string): Promise<void> {
  await tx.$queryRaw`select 1 from organizations where id = ${organizationId}::uuid for update`;
  const count = await tx.webhook.count({ where: { organizationId } });
  if (count >= MAX_WEBHOOKS)
    throw new AppError(
      "CONFLICT",
      "There are too many webhooks.",
      `An organization has at most ${MAX_WEBHOOKS}. Remove one first.`,
    );
}

const deed = (doing: DoingToWebhook, action: Action, data: Deed["data"] = {}): Deed => ({
  action,
  organizationId: doing.organizationId,
  actorId: doing.actor.id,
  right: doing.right,
  object: { type: "webhook", id: doing.webhookId },
  data,
  requestId: doing.call.requestId,
});
