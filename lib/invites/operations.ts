import { z } from "zod";
import { Message } from "#lib/accounts/schema.ts";
import { operation } from "#lib/operation/operation.ts";
import {
  changeOrganizationInvite,
  createOrganizationInvite,
  useOrganizationInvite,
} from "#lib/invites/invites.ts";
import * as queries from "#lib/invites/queries.ts";
import { Invite, InviteChange, InviteView, NewOrganizationInvite } from "#lib/invites/schema.ts";
import { codeScope, inviteScope } from "#lib/invites/scope.ts";
import { Organization, OrganizationRole } from "#lib/organizations/schema.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import type { OrganizationRole as Role } from "#lib/operation/policy.ts";

/** Invites to organizations (contract 5.3). */

export const viewInvite = operation({
  name: "viewOrganizationInvite",
  summary: "See what an invite to an organization offers",
  on: codeScope,
  can: "organization.viewInvite",
  limit: "lookup",
  output: InviteView,
  run: ({ code }) => queries.viewOrganizationInvite(code),
});

export const useInvite = operation({
  name: "useOrganizationInvite",
  summary: "Join an organization with an invite",
  on: codeScope,
  can: "organization.useInvite",
  output: Message.extend({ organization: Organization, role: OrganizationRole }),
  run: async (context) => {
    const { organization, role } = await useOrganizationInvite(context);
    return { message: `You are now a member of ${organization.name}.`, organization, role: role as Role };
  },
});

export const createInvite = operation({
  name: "createOrganizationInvite",
  summary: "Create an invite to an organization",
  on: organizationScope,
  can: "organization.manageInvites",
  input: NewOrganizationInvite,
  status: 201,
  output: Message.extend({ invite: Invite }),
  run: async (context, wanted) => ({
    message: "The invite is created.",
    invite: await createOrganizationInvite(context, wanted),
  }),
});

export const listInvites = operation({
  name: "listOrganizationInvites",
  summary: "List the invites to an organization",
  on: organizationScope,
  can: "organization.manageInvites",
  output: z.object({ invites: z.array(Invite) }),
  run: async ({ organizationId }) => ({ invites: await queries.listOrganizationInvites(organizationId) }),
});

export const changeInvite = operation({
  name: "changeOrganizationInvite",
  summary: "Disable, enable or annotate an invite to an organization",
  on: inviteScope,
  can: "organization.manageInvites",
  input: InviteChange,
  output: Message.extend({ invite: Invite }),
  run: async (context, change) => ({
    message: "The invite is changed.",
    invite: await changeOrganizationInvite(context, change),
  }),
});

export const showInitialInvite = operation({
  name: "showInitialInvite",
  summary: "Show the unused first invite of an organization",
  on: organizationScope,
  can: "organization.initialInvite",
  output: z.object({ invite: Invite }),
  run: async ({ organizationId }) => ({ invite: await queries.findInitialInvite(organizationId) }),
});
