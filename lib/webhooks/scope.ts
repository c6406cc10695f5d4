import type { OperationScope } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import { organizationScope, type OrganizationSubject } from "#lib/organizations/scope.ts";

export type WebhookSubject = OrganizationSubject & { webhookId: string };
export type DeliverySubject = WebhookSubject & { deliveryId: string };

/** A webhook of an organization. The statement that reads or changes it checks that it exists. */
export const webhookScope: OperationScope<WebhookSubject, WebhookSubject> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    webhookId: parsePathIdOrNilUuid(params.webhookId),
  }),
};

export const deliveryScope: OperationScope<DeliverySubject, DeliverySubject> = {
  container: async (params, actor) => ({
    ...(await webhookScope.container(params, actor)),
    deliveryId: parsePathIdOrNilUuid(params.deliveryId),
  }),
};
