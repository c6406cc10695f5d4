import { z } from "zod";
import { Message } from "#lib/accounts/schema.ts";
import { nothing, operation, requestOf } from "#lib/operation/operation.ts";
import { Pagination, pagination } from "#lib/operation/fields.ts";
import { addMember, changeMember, removeMember } from "#lib/organizations/members.ts";
import * as organizations from "#lib/organizations/organizations.ts";
import * as queries from "#lib/organizations/queries.ts";
import {
  CountedOrganization,
  Member,
  MemberChange,
  NewMember,
  NewOrganization,
  Organization,
  OrganizationChange,
  OrganizationsQuery,
  OwnOrganization,
} from "#lib/organizations/schema.ts";
import { memberScope, organizationScope } from "#lib/organizations/scope.ts";
import { organizationLogoScope, saveOrganizationLogo } from "#lib/organizations/logo.ts";
import { imageResponse } from "#lib/files/download/download.ts";
import { LOGO_UPLOAD, withStoredLogo } from "#lib/files/logo.ts";

/** Organizations and their members (contract 5). Invites and events have rooms of their own. */

export const createOrganization = operation({
  name: "createOrganization",
  summary: "Create an organization, with a single-use invite for its first admin",
  on: nothing,
  can: "organization.create",
  input: NewOrganization,
  status: 201,
  output: z.object({ organization: Organization, inviteLink: z.string().optional() }),
  run: (context, wanted) => organizations.createOrganization(context, wanted),
});

export const listOrganizations = operation({
  name: "listOrganizations",
  summary: "List all organizations",
  on: nothing,
  can: "organization.listAll",
  input: OrganizationsQuery,
  output: z.object({ organizations: z.array(CountedOrganization), pagination: Pagination }),
  run: async (_, query) => {
    const found = await queries.listOrganizations(query);
    return { organizations: found.organizations, pagination: pagination(query, found.total) };
  },
});

export const listOwnOrganizations = operation({
  name: "listOwnOrganizations",
  summary: "List the organizations that you are a member of",
  on: nothing,
  can: "organization.listOwn",
  output: z.object({ organizations: z.array(OwnOrganization) }),
  run: async ({ actor }) => ({ organizations: await queries.organizationsOf(actor) }),
});

export const showOrganization = operation({
  name: "showOrganization",
  summary: "Show an organization",
  on: organizationScope,
  can: "organization.view",
  output: z.object({ organization: Organization }),
  run: async ({ organizationId }) => ({ organization: await queries.findOrganization(organizationId) }),
});

export const updateOrganization = operation({
  name: "updateOrganization",
  summary: "Change an organization's name, description or website",
  on: organizationScope,
  can: "organization.update",
  input: OrganizationChange,
  output: Message.extend({ organization: Organization }),
  run: async (context, change) => ({
    message: "The organization is changed.",
    organization: await organizations.updateOrganization(context, change),
  }),
});

export const deleteOrganization = operation({
  name: "deleteOrganization",
  summary: "Delete an organization and all its data",
  on: organizationScope,
  can: "organization.delete",
  output: Message,
  run: async (context) => {
    await organizations.deleteOrganization(context);
    return { message: "The organization and all its data are deleted." };
  },
});

export const listOrganizationMembers = operation({
  name: "listOrganizationMembers",
  summary: "List the members of an organization",
  on: organizationScope,
  can: "organization.view",
  output: z.object({ members: z.array(Member) }),
  run: async ({ organizationId }) => ({ members: await queries.listMembers(organizationId) }),
});

export const addOrganizationMember = operation({
  name: "addOrganizationMember",
  summary: "Make a user a member of an organization",
  on: organizationScope,
  can: "organization.manageMembers",
  input: NewMember,
  status: 201,
  output: Message,
  run: async (context, member) => {
    await addMember(context, member);
    return { message: "The member is added." };
  },
});

export const changeOrganizationMember = operation({
  name: "changeOrganizationMember",
  summary: "Give a member of an organization another role",
  on: memberScope,
  can: "organization.manageMembers",
  input: MemberChange,
  output: Message,
  run: async (context, change) => {
    await changeMember(context, change);
    return { message: "The member's role is changed." };
  },
});

export const removeOrganizationMember = operation({
  name: "removeOrganizationMember",
  summary: "Remove a member from an organization",
  on: memberScope,
  can: "organization.manageMembers",
  output: Message,
  run: async (context) => {
    await removeMember(context);
    return { message: "The member is removed." };
  },
});

export const uploadOrganizationLogo = operation({
  name: "uploadOrganizationLogo",
  summary: "Give an organization a logo, in place of the one it has",
  on: organizationScope,
  can: "organization.changeLogo",
  body: "multipart",
  upload: LOGO_UPLOAD,
  limit: "upload",
  output: Message,
  run: async (context) => {
    await withStoredLogo(context.call.files, (logo) => saveOrganizationLogo(context, logo));
    return { message: "The logo is saved." };
  },
});

export const showOrganizationLogo = operation({
  name: "showOrganizationLogo",
  summary: "The logo of an organization",
  on: organizationLogoScope,
  can: "organization.viewLogo",
  output: null,
  produces: ["image/webp"],
  run: ({ key, type, call }) => imageResponse(requestOf(call), { key, type, etag: `"${key}"` }),
});
