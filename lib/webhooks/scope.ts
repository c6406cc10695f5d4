import type { OperationScopeResolvers } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import { organizationScope, type OrganizationPermissionSubject } from "#lib/organizations/scope.ts";

export type WebhookPermissionSubject = OrganizationPermissionSubject & { webhookId: string };
export type WebhookDeliveryPermissionSubject = WebhookPermissionSubject & { deliveryId: string };

/** A webhook of an organization. The statement that reads or changes it checks that it exists. */
export const webhookScope: OperationScopeResolvers<WebhookPermissionSubject, WebhookPermissionSubject> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    webhookId: parsePathIdOrNilUuid(params.webhookId),
  }),
};

export const webhookDeliveryScope: OperationScopeResolvers<
  WebhookDeliveryPermissionSubject,
  WebhookDeliveryPermissionSubject
> = {
  container: async (params, actor) => ({
    ...(await webhookScope.container(params, actor)),
    deliveryId: parsePathIdOrNilUuid(params.deliveryId),
  }),
};
