import type { Scope } from "#lib/operation/operation.ts";
import { parsePathId } from "#lib/operation/path-params.ts";
import { organizationScope, type OrganizationSubject } from "#lib/organizations/scope.ts";

export type WebhookSubject = OrganizationSubject & { webhookId: string };
export type DeliverySubject = WebhookSubject & { deliveryId: string };

/** A webhook of an organization. The statement that reads or changes it checks that it exists. */
export const webhookScope: Scope<WebhookSubject, WebhookSubject> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    webhookId: parsePathId(params.webhookId),
  }),
};

export const deliveryScope: Scope<DeliverySubject, DeliverySubject> = {
  container: async (params, actor) => ({
    ...(await webhookScope.container(params, actor)),
    deliveryId: parsePathId(params.deliveryId),
  }),
};
