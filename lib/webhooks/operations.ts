import { z } from "zod";
import { MessageResponse } from "#lib/accounts/schema.ts";
import { defineOperation } from "#lib/operation/operation.ts";
import { Pagination, buildPaginationFromTotal } from "#lib/operation/fields.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import * as queries from "#lib/webhooks/queries.ts";
import {
  WebhookDelivery,
  WebhookOrDeliveryListQuery,
  NewWebhookInput,
  Webhook,
  WebhookChangeInput,
} from "#lib/webhooks/schema.ts";
import { webhookDeliveryScope, webhookScope } from "#lib/webhooks/scope.ts";
import * as webhooks from "#lib/webhooks/webhooks.ts";

/** Webhooks of an organization (docs/webhooks.md). */

const WebhookResponse = z.object({ webhook: Webhook });
const DeliveryResponse = MessageResponse.extend({ delivery: WebhookDelivery });

export const listWebhooks = defineOperation({
  name: "listWebhooks",
  summary: "List the webhooks of an organization",
  on: organizationScope,
  can: "organization.manageWebhooks",
  input: WebhookOrDeliveryListQuery,
  output: z.object({ webhooks: z.array(Webhook), pagination: Pagination }),
  run: async ({ organizationId }, query) => {
    const { webhooks, total } = await queries.listWebhooks(organizationId, query);
    return { webhooks, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const createWebhook = defineOperation({
  name: "createWebhook",
  summary: "Create a webhook; its secret is shown only once",
  on: organizationScope,
  can: "organization.manageWebhooks",
  input: NewWebhookInput,
  status: 201,
  location: ({ webhook }, path) => `${path}/${webhook.id}`,
  once: "response",
  output: MessageResponse.extend({ webhook: Webhook, secret: z.string() }),
  run: async (context, input) => ({
    message: "The webhook is set up. Copy its secret now: it won't be shown again.",
    ...(await webhooks.createWebhook(context, input)),
  }),
});

export const showWebhook = defineOperation({
  name: "showWebhook",
  summary: "Show a webhook",
  on: webhookScope,
  can: "organization.manageWebhooks",
  output: WebhookResponse,
  run: async (context) => ({ webhook: await queries.loadWebhook(context) }),
});

export const changeWebhook = defineOperation({
  name: "changeWebhook",
  summary: "Change a webhook, or turn it off or on",
  on: webhookScope,
  can: "organization.manageWebhooks",
  input: WebhookChangeInput,
  output: WebhookResponse.extend(MessageResponse.shape),
  run: async (context, change) => ({
    message: "The webhook has been changed.",
    webhook: await webhooks.changeWebhook(context, change),
  }),
});

export const deleteWebhook = defineOperation({
  name: "deleteWebhook",
  summary: "Remove a webhook and its delivery log",
  on: webhookScope,
  can: "organization.manageWebhooks",
  output: MessageResponse,
  run: async (context) => {
    await webhooks.deleteWebhook(context);
    return { message: "The webhook has been removed." };
  },
});

export const rotateWebhookSecret = defineOperation({
  name: "rotateWebhookSecret",
  summary: "Create a new secret for a webhook; it is shown only once",
  on: webhookScope,
  can: "organization.manageWebhooks",
  once: "response",
  confirm: queries.loadWebhook,
  output: MessageResponse.extend({ secret: z.string() }),
  run: async (context) => ({
    message: "Deliveries are now signed with the new secret. Copy it now: it won't be shown again.",
    secret: await webhooks.rotateWebhookSecret(context),
  }),
});

export const testWebhook = defineOperation({
  name: "testWebhook",
  summary: "Send a test message to a webhook",
  on: webhookScope,
  can: "organization.manageWebhooks",
  status: 201,
  location: (_, path) => path.replace(/\/test$/, "/deliveries"),
  once: "response",
  confirm: queries.loadWebhook,
  output: DeliveryResponse,
  run: async (context) => ({
    message: "A test message is on its way.",
    delivery: await queries.loadWebhookDelivery(await webhooks.testWebhook(context)),
  }),
});

export const listWebhookDeliveries = defineOperation({
  name: "listWebhookDeliveries",
  summary: "List the deliveries of a webhook in the last 30 days",
  on: webhookScope,
  can: "organization.manageWebhooks",
  input: WebhookOrDeliveryListQuery,
  output: z.object({ deliveries: z.array(WebhookDelivery), pagination: Pagination }),
  run: async (context, query) => {
    const { deliveries, total } = await queries.listWebhookDeliveryRecords(context, query);
    return { deliveries, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const redeliverWebhook = defineOperation({
  name: "redeliverWebhook",
  summary: "Send a delivery again",
  on: webhookDeliveryScope,
  can: "organization.manageWebhooks",
  status: 201,
  location: (_, path) => path.replace(/\/[^/]+\/redeliver$/, ""),
  once: "response",
  confirm: queries.assertWebhookDeliveryExists,
  output: DeliveryResponse,
  run: async (context) => ({
    message: "The delivery is being sent again.",
    delivery: await queries.loadWebhookDelivery(await webhooks.redeliverWebhook(context)),
  }),
});
