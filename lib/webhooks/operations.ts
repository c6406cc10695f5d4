import { z } from "zod";
import { Message } from "#lib/accounts/schema.ts";
import { operation } from "#lib/operation/operation.ts";
import { Pagination, pagination } from "#lib/operation/fields.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import * as queries from "#lib/webhooks/queries.ts";
import { Delivery, ListQuery, NewWebhook, Webhook, WebhookChange } from "#lib/webhooks/schema.ts";
import { deliveryScope, webhookScope } from "#lib/webhooks/scope.ts";
import * as webhooks from "#lib/webhooks/webhooks.ts";

/** Programs that an organization has told of what happens (docs/webhooks.md). */

const OneWebhook = z.object({ webhook: Webhook });
const OneDelivery = Message.extend({ delivery: Delivery });

export const listWebhooks = operation({
  name: "listWebhooks",
  summary: "List the webhooks of an organization",
  on: organizationScope,
  can: "organization.manageWebhooks",
  input: ListQuery,
  output: z.object({ webhooks: z.array(Webhook), pagination: Pagination }),
  run: async ({ organizationId }, query) => {
    const { webhooks, total } = await queries.listWebhooks(organizationId, query);
    return { webhooks, pagination: pagination(query, total) };
  },
});

export const createWebhook = operation({
  name: "createWebhook",
  summary: "Set up a webhook; its secret is shown this once",
  on: organizationScope,
  can: "organization.manageWebhooks",
  input: NewWebhook,
  status: 201,
  output: Message.extend({ webhook: Webhook, secret: z.string() }),
  run: async (context, wanted) => ({
    message: "The webhook is set up. Keep its secret now: it is not shown again.",
    ...(await webhooks.createWebhook(context, wanted)),
  }),
});

export const showWebhook = operation({
  name: "showWebhook",
  summary: "Show a webhook",
  on: webhookScope,
  can: "organization.manageWebhooks",
  output: OneWebhook,
  run: async (context) => ({ webhook: await queries.findWebhook(context) }),
});

export const changeWebhook = operation({
  name: "changeWebhook",
  summary: "Change a webhook, or turn it off and on",
  on: webhookScope,
  can: "organization.manageWebhooks",
  input: WebhookChange,
  output: OneWebhook.extend(Message.shape),
  run: async (context, change) => ({
    message: "The webhook is changed.",
    webhook: await webhooks.changeWebhook(context, change),
  }),
});

export const deleteWebhook = operation({
  name: "deleteWebhook",
  summary: "Remove a webhook and its delivery log",
  on: webhookScope,
  can: "organization.manageWebhooks",
  output: Message,
  run: async (context) => {
    await webhooks.deleteWebhook(context);
    return { message: "The webhook is removed." };
  },
});

export const rotateWebhookSecret = operation({
  name: "rotateWebhookSecret",
  summary: "Give a webhook a new secret, shown this once",
  on: webhookScope,
  can: "organization.manageWebhooks",
  output: Message.extend({ secret: z.string() }),
  run: async (context) => ({
    message: "From now on deliveries are signed with the new secret. Keep it now: it is not shown again.",
    secret: await webhooks.rotateSecret(context),
  }),
});

export const testWebhook = operation({
  name: "testWebhook",
  summary: "Send a test message to a webhook",
  on: webhookScope,
  can: "organization.manageWebhooks",
  status: 201,
  output: OneDelivery,
  run: async (context) => ({
    message: "A test message is on its way.",
    delivery: await queries.findDelivery(await webhooks.testWebhook(context)),
  }),
});

export const listDeliveries = operation({
  name: "listWebhookDeliveries",
  summary: "List what was sent to a webhook in the last 30 days",
  on: webhookScope,
  can: "organization.manageWebhooks",
  input: ListQuery,
  output: z.object({ deliveries: z.array(Delivery), pagination: Pagination }),
  run: async (context, query) => {
    const { deliveries, total } = await queries.listDeliveries(context, query);
    return { deliveries, pagination: pagination(query, total) };
  },
});

export const redeliver = operation({
  name: "redeliverWebhook",
  summary: "Send a delivery again",
  on: deliveryScope,
  can: "organization.manageWebhooks",
  status: 201,
  output: OneDelivery,
  run: async (context) => ({
    message: "It is sent again.",
    delivery: await queries.findDelivery(await webhooks.redeliver(context)),
  }),
});
