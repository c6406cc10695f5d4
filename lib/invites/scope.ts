import type { OperationScope } from "#lib/operation/operation.ts";
import { eventScope, type EventSubject } from "#lib/events/scope.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import { organizationScope, type OrganizationSubject } from "#lib/organizations/scope.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";

export type OrganizationInviteSubject = OrganizationSubject & { inviteId: string };

/** An invite of an organization; the statement that changes it checks that it exists. */
export const organizationInviteScope: OperationScope<OrganizationInviteSubject, OrganizationInviteSubject> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    inviteId: parsePathIdOrNilUuid(params.inviteId),
  }),
};

export type EventInviteSubject = EventSubject & { inviteId: string };

/** An invite to an event; the statement that changes it checks that it exists. */
export const eventInviteScope: OperationScope<EventInviteSubject, EventInviteSubject> = {
  container: async (params, actor) => ({
    ...(await eventScope.container(params, actor)),
    inviteId: parsePathIdOrNilUuid(params.inviteId),
  }),
};

export type InviteCodeSubject = PermissionSubject & { code: string };

/** An invite by its code; knowing the code is enough. */
export const inviteCodeScope: OperationScope<InviteCodeSubject, InviteCodeSubject> = {
  container: async (params) => ({ code: params.code ?? "" }),
};
