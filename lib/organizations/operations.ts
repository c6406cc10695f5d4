import { consumeSearchLimit } from "#lib/rate-limits/rate-limits.ts";
import { z } from "zod";
import { MessageResponse } from "#lib/accounts/schema.ts";
import { globalScope, defineOperation, requireRequestWithAbortSignal } from "#lib/operation/operation.ts";
import { Pagination, buildPaginationFromTotal } from "#lib/operation/fields.ts";
import {
  OutsidePersonResponse,
  OutsidePersonInput,
  loadOutsidePerson,
  saveOutsidePerson,
} from "#lib/organizations/outside-person.ts";
import { addMember, changeMemberRole, removeMember } from "#lib/organizations/members.ts";
import * as serviceTokens from "#lib/organizations/service-tokens.ts";
import * as organizations from "#lib/organizations/organizations.ts";
import * as outcomeTemplates from "#lib/organizations/outcome-templates.ts";
import { OutcomeTemplate, OutcomeTemplatesChangeInput } from "#lib/organizations/outcome-templates.ts";
import * as queries from "#lib/organizations/queries.ts";
import {
  OrganizationWithCounts,
  OrganizationMember,
  OrganizationMemberRoleChangeInput,
  NewOrganizationMemberInput,
  NewServiceTokenInput,
  NewOrganizationInput,
  Organization,
  OrganizationChangeInput,
  OrganizationsQuery,
  ServiceToken,
  ServiceTokensQuery,
  OwnOrganization,
} from "#lib/organizations/schema.ts";
import {
  organizationMemberScope,
  serviceTokenPathScope,
  organizationScope,
} from "#lib/organizations/scope.ts";
import { organizationLogoScope, saveOrganizationLogo } from "#lib/organizations/logo.ts";
import { createPublicImageResponse } from "#lib/files/download/download.ts";
import { LOGO_UPLOAD_RULE, storeLogoThenSaveRow } from "#lib/files/logo.ts";

/** Organizations and their members (contract 5). Invites and events have folders of their own. */

export const createOrganization = defineOperation({
  name: "createOrganization",
  summary: "Create an organization, with a single-use invite for its first admin",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "organization.create",
  input: NewOrganizationInput,
  status: 201,
  location: ({ organization }) => `/api/organizations/${organization.id}`,
  once: "response",
  output: z.object({ organization: Organization, inviteLink: z.string().optional() }),
  errors: ["SLUG_TAKEN"],
  run: (context, input) => organizations.createOrganization(context, input),
});

export const listOrganizations = defineOperation({
  name: "listOrganizations",
  summary: "List all organizations",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "organization.listAll",
  input: OrganizationsQuery,
  output: z.object({ organizations: z.array(OrganizationWithCounts), pagination: Pagination }),
  run: async ({ actor }, query) => {
    await consumeSearchLimit(actor.id, query);
    const found = await queries.listOrganizations(query);
    return { organizations: found.organizations, pagination: buildPaginationFromTotal(query, found.total) };
  },
});

export const listOwnOrganizations = defineOperation({
  name: "listOwnOrganizations",
  summary: "List the organizations that you are a member of",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "organization.listOwn",
  output: z.object({ organizations: z.array(OwnOrganization) }),
  run: async ({ actor }) => ({ organizations: await queries.listOwnOrganizations(actor) }),
});

export const showOrganization = defineOperation({
  name: "showOrganization",
  summary: "Show an organization",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.view",
  output: z.object({ organization: Organization }),
  version: ({ organization }) => organization.updatedAt,
  run: async ({ organizationId }) => ({ organization: await queries.loadOrganization(organizationId) }),
});

const OutcomeTemplates = z.object({ templates: z.array(OutcomeTemplate) });

export const listOutcomeTemplates = defineOperation({
  name: "listOutcomeTemplates",
  summary: "List the organization's own texts for outcome messages; the others are defaults",
  on: organizationScope,
  can: "organization.view",
  output: OutcomeTemplates,
  run: async ({ organizationId }) => ({
    templates: await outcomeTemplates.listOutcomeTemplates(organizationId),
  }),
});

export const updateOutcomeTemplates = defineOperation({
  name: "updateOutcomeTemplates",
  summary: "Change the organization's texts for outcome messages",
  on: organizationScope,
  can: "organization.update",
  input: OutcomeTemplatesChangeInput,
  output: OutcomeTemplates,
  run: async (context, change) => {
    await outcomeTemplates.saveOutcomeTemplates(context, change);
    return { templates: await outcomeTemplates.listOutcomeTemplates(context.organizationId) };
  },
});

export const showOutsidePerson = defineOperation({
  name: "showOutsidePerson",
  summary: "Show who reads the reports that are hidden from everybody on the response team",
  on: organizationScope,
  can: "organization.view",
  output: OutsidePersonResponse,
  run: ({ organizationId }) => loadOutsidePerson(organizationId),
});

export const updateOutsidePerson = defineOperation({
  name: "updateOutsidePerson",
  summary: "Name a member who reads the reports that are hidden from everybody on the response team",
  on: organizationScope,
  can: "organization.update",
  input: OutsidePersonInput,
  output: OutsidePersonResponse,
  run: async (context, change) => {
    await saveOutsidePerson(context, change);
    return loadOutsidePerson(context.organizationId);
  },
});

export const updateOrganization = defineOperation({
  name: "updateOrganization",
  summary: "Change an organization's name, description or website",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.update",
  input: OrganizationChangeInput,
  output: MessageResponse.extend({ organization: Organization }),
  ifMatch: true,
  run: async (context, change) => ({
    message: "The organization has been changed.",
    organization: await organizations.updateOrganization(context, change),
  }),
});

export const deleteOrganization = defineOperation({
  name: "deleteOrganization",
  summary: "Delete an organization and all its data",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.delete",
  output: MessageResponse,
  run: async (context) => {
    await organizations.deleteOrganization(context);
    return { message: "The organization and all its data have been deleted." };
  },
});

export const listOrganizationMembers = defineOperation({
  name: "listOrganizationMembers",
  summary: "List the members of an organization",
  on: organizationScope,
  can: "organization.view",
  output: z.object({ members: z.array(OrganizationMember) }),
  run: async ({ organizationId }) => ({
    members: await queries.listOrganizationMemberRecords(organizationId),
  }),
});

export const addOrganizationMember = defineOperation({
  name: "addOrganizationMember",
  summary: "Add a user as a member of an organization",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.manageMembers",
  input: NewOrganizationMemberInput,
  status: 201,
  once: "response",
  output: MessageResponse,
  errors: ["ALREADY_MEMBER"],
  run: async (context, member) => {
    await addMember(context, member);
    return { message: "The member has been added." };
  },
});

export const changeOrganizationMember = defineOperation({
  name: "changeOrganizationMember",
  summary: "Change the role of a member of an organization",
  ignoresUnknownNames: true,
  on: organizationMemberScope,
  can: "organization.manageMembers",
  input: OrganizationMemberRoleChangeInput,
  output: MessageResponse,
  errors: ["LAST_ADMIN"],
  run: async (context, change) => {
    await changeMemberRole(context, change);
    return { message: "The member's role has been changed." };
  },
});

export const removeOrganizationMember = defineOperation({
  name: "removeOrganizationMember",
  summary: "Remove a member from an organization",
  ignoresUnknownNames: true,
  on: organizationMemberScope,
  can: "organization.manageMembers",
  output: MessageResponse,
  errors: ["LAST_ADMIN"],
  run: async (context) => {
    await removeMember(context);
    return { message: "The member has been removed." };
  },
});

export const listServiceTokens = defineOperation({
  name: "listServiceTokens",
  summary: "List the service tokens of an organization",
  on: organizationScope,
  can: "organization.manageTokens",
  input: ServiceTokensQuery,
  output: z.object({ tokens: z.array(ServiceToken), pagination: Pagination }),
  run: async ({ organizationId }, query) => {
    const { tokens, total } = await serviceTokens.listServiceTokens(organizationId, query);
    return { tokens, pagination: buildPaginationFromTotal(query, total) };
  },
});

export const createServiceToken = defineOperation({
  name: "createServiceToken",
  summary: "Create a service token of an organization; it is shown only once",
  on: organizationScope,
  can: "organization.manageTokens",
  input: NewServiceTokenInput,
  output: MessageResponse.extend({ token: z.string(), serviceToken: ServiceToken }),
  status: 201,
  once: "response",
  confirm: serviceTokens.verifyPasswordAndServiceTokenRights,
  run: async (context, input) => ({
    message: "Save this token: we won't show it again.",
    ...(await serviceTokens.createServiceToken(context, input)),
  }),
});

export const revokeServiceToken = defineOperation({
  name: "revokeServiceToken",
  summary: "Revoke a service token of an organization",
  on: serviceTokenPathScope,
  can: "organization.manageTokens",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await serviceTokens.revokeServiceToken(context);
    return undefined;
  },
});

export const uploadOrganizationLogo = defineOperation({
  name: "uploadOrganizationLogo",
  summary: "Upload a logo for an organization, replacing any earlier one",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.changeLogo",
  body: "multipart",
  upload: LOGO_UPLOAD_RULE,
  limit: "upload",
  output: MessageResponse,
  errors: ["IMAGE_TOO_LARGE"],
  run: async (context) => {
    await storeLogoThenSaveRow(context.call.files, (logo) => saveOrganizationLogo(context, logo));
    return { message: "The logo has been saved." };
  },
});

export const showOrganizationLogo = defineOperation({
  name: "showOrganizationLogo",
  summary: "Download the logo of an organization",
  ignoresUnknownNames: true,
  on: organizationLogoScope,
  can: "organization.viewLogo",
  output: null,
  produces: ["image/webp"],
  errors: ["STORAGE_UNAVAILABLE"],
  run: ({ key, type, call }) =>
    createPublicImageResponse(requireRequestWithAbortSignal(call), { key, type, etag: `"${key}"` }),
});
