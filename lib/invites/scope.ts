import { readInviteCode } from "#lib/crypto/random-code.ts";
import type { OperationScopeResolvers } from "#lib/operation/operation.ts";
import { eventScope, type EventPermissionSubject } from "#lib/events/scope.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import { organizationScope, type OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";

export type OrganizationInvitePermissionSubject = OrganizationPermissionSubject & { inviteId: string };

/** An invite of an organization; the statement that changes it checks that it exists. */
export const organizationInviteScope: OperationScopeResolvers<
  OrganizationInvitePermissionSubject,
  OrganizationInvitePermissionSubject
> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    inviteId: parsePathIdOrNilUuid(params.inviteId),
  }),
};

export type EventInvitePermissionSubject = EventPermissionSubject & { inviteId: string };

/** An invite to an event; the statement that changes it checks that it exists. */
export const eventInviteScope: OperationScopeResolvers<
  EventInvitePermissionSubject,
  EventInvitePermissionSubject
> = {
  container: async (params, actor) => ({
    ...(await eventScope.container(params, actor)),
    inviteId: parsePathIdOrNilUuid(params.inviteId),
  }),
};

export type InviteCodePermissionSubject = PermissionSubject & { code: string };

/** An invite by its code; knowing the code is enough. */
export const inviteCodeScope: OperationScopeResolvers<
  InviteCodePermissionSubject,
  InviteCodePermissionSubject
> = {
  container: async (params) => ({ code: readInviteCode(params.code ?? "") }),
};
