import { z } from "zod";
import { MessageResponse } from "#lib/accounts/schema.ts";
import { defineOperation } from "#lib/operation/operation.ts";
import { assertMayReadInviteCodes, hideInviteCodesFromReadToken } from "#lib/invites/code-access.ts";
import * as invites from "#lib/invites/invites.ts";
import * as queries from "#lib/invites/queries.ts";
import {
  InviteOutput,
  InviteChangeInput,
  ListedInviteOutput,
  MailedEventInvitesInput,
  MailedOrganizationInvitesInput,
  OrganizationInviteOfferOutput,
  NewEventInviteInput,
  NewOrganizationInviteInput,
} from "#lib/invites/schema.ts";
import { inviteCodeScope, eventInviteScope, organizationInviteScope } from "#lib/invites/scope.ts";
import { Organization, OrganizationMemberRole } from "#lib/organizations/schema.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import type { OrganizationRole as Role } from "#lib/operation/policy.ts";
import { eventScope } from "#lib/events/scope.ts";
import * as eventInvites from "#lib/invites/event-invites.ts";
import * as mailedInvites from "#lib/invites/mailed-invites.ts";
import {
  createReportFormQrResponse,
  createEventInviteQrResponse,
  QR_IMAGE_MEDIA_TYPES,
  QrImageFormatQuery,
} from "#lib/invites/qr.ts";

/** Invites to organizations (contract 5.3), to events, and of either kind by their code (contract 6.5). */

export const showOrganizationInvite = defineOperation({
  name: "showOrganizationInvite",
  summary: "See what an invite to an organization offers",
  ignoresUnknownNames: true,
  on: inviteCodeScope,
  can: "organization.showInvite",
  limit: "lookup",
  output: OrganizationInviteOfferOutput,
  run: ({ code }) => queries.showOrganizationInvite(code),
});

export const redeemOrganizationInvite = defineOperation({
  name: "useOrganizationInvite",
  summary: "Join an organization with an invite",
  ignoresUnknownNames: true,
  on: inviteCodeScope,
  can: "organization.useInvite",
  output: MessageResponse.extend({ organization: Organization, role: OrganizationMemberRole }),
  errors: ["ALREADY_MEMBER", "INVITE_EXPIRED", "INVITE_DISABLED", "INVITE_EXHAUSTED"],
  run: async (context) => {
    const { organization, role } = await invites.redeemOrganizationInvite(context);
    return { message: `You are now a member of ${organization.name}.`, organization, role: role as Role };
  },
});

export const createOrganizationInvite = defineOperation({
  name: "createOrganizationInvite",
  summary: "Create an invite to an organization",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.manageInvites",
  input: NewOrganizationInviteInput,
  status: 201,
  once: "response",
  output: MessageResponse.extend({ invite: InviteOutput }),
  run: async (context, input) => ({
    message: "The invite has been created.",
    invite: await invites.createOrganizationInvite(context, input),
  }),
});

export const listOrganizationInvites = defineOperation({
  name: "listOrganizationInvites",
  summary: "List the invites to an organization",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.manageInvites",
  output: z.object({ invites: z.array(ListedInviteOutput) }),
  run: async ({ organizationId, actor }) => ({
    invites: hideInviteCodesFromReadToken(actor, await queries.listOrganizationInvites(organizationId)),
  }),
});

export const changeOrganizationInvite = defineOperation({
  name: "changeOrganizationInvite",
  summary: "Disable, enable or annotate an invite to an organization",
  ignoresUnknownNames: true,
  on: organizationInviteScope,
  can: "organization.manageInvites",
  input: InviteChangeInput,
  output: MessageResponse.extend({ invite: InviteOutput }),
  run: async (context, change) => ({
    message: "The invite has been changed.",
    invite: await invites.changeOrganizationInvite(context, change),
  }),
});

export const showInitialInvite = defineOperation({
  name: "showInitialInvite",
  summary: "Show the unused first invite of an organization",
  ignoresUnknownNames: true,
  on: organizationScope,
  can: "organization.initialInvite",
  output: z.object({ invite: InviteOutput }),
  run: async ({ organizationId, actor }) => {
    assertMayReadInviteCodes(actor);
    return { invite: await queries.loadUsableInitialOrganizationInvite(organizationId) };
  },
});

export const createEventInvite = defineOperation({
  name: "createEventInvite",
  summary: "Create an invite to an event",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.manageInvites",
  input: NewEventInviteInput,
  status: 201,
  once: "response",
  output: MessageResponse.extend({ invite: InviteOutput }),
  run: async (context, input) => ({
    message: "The invite has been created.",
    invite: await eventInvites.createEventInvite(context, input),
  }),
});

export const listEventInvites = defineOperation({
  name: "listEventInvites",
  summary: "List the invites to an event",
  ignoresUnknownNames: true,
  on: eventScope,
  can: "event.manageInvites",
  output: z.object({ invites: z.array(ListedInviteOutput) }),
  run: async ({ eventId, actor }) => ({
    invites: hideInviteCodesFromReadToken(actor, await eventInvites.listEventInvites(eventId)),
  }),
});

const MailedInvites = MessageResponse.extend({ invites: z.array(InviteOutput) });
const MAILED_MESSAGE = "The invites are on their way.";
/** The invites themselves are listed beside the path that mails them. */
const toInvitesPath = (_: unknown, path: string) => path.replace(/mailed-invites$/, "invites");

export const mailOrganizationInvites = defineOperation({
  name: "mailOrganizationInvites",
  summary: "Invite people to an organization by email: each address gets an invite that one person can use",
  on: organizationScope,
  can: "organization.manageInvites",
  input: MailedOrganizationInvitesInput,
  status: 201,
  location: toInvitesPath,
  once: "response",
  output: MailedInvites,
  run: async (context, input) => ({
    message: MAILED_MESSAGE,
    invites: await mailedInvites.mailOrganizationInvites(context, input),
  }),
});

export const mailEventInvites = defineOperation({
  name: "mailEventInvites",
  summary: "Invite people to an event by email: each address gets an invite that one person can use",
  on: eventScope,
  can: "event.manageInvites",
  input: MailedEventInvitesInput,
  status: 201,
  location: toInvitesPath,
  once: "response",
  output: MailedInvites,
  run: async (context, input) => ({
    message: MAILED_MESSAGE,
    invites: await mailedInvites.mailEventInvites(context, input),
  }),
});

export const changeEventInvite = defineOperation({
  name: "changeEventInvite",
  summary: "Disable, enable or annotate an invite to an event",
  ignoresUnknownNames: true,
  on: eventInviteScope,
  can: "event.manageInvites",
  input: InviteChangeInput,
  output: MessageResponse.extend({ invite: InviteOutput }),
  run: async (context, change) => ({
    message: "The invite has been changed.",
    invite: await eventInvites.changeEventInvite(context, change),
  }),
});

/** Shows anyone who has the code what it offers: names, role, expiry and whether it is usable (contract 5.3). */
export const showInvite = defineOperation({
  name: "showInvite",
  summary: "See what an invite offers",
  ignoresUnknownNames: true,
  on: inviteCodeScope,
  can: "invite.view",
  limit: "lookup",
  output: eventInvites.InviteOfferOutput,
  run: ({ code }) => eventInvites.loadInviteOffer(code),
});

export const redeemInvite = defineOperation({
  name: "redeemInvite",
  summary: "Accept an invite to an organization or an event",
  ignoresUnknownNames: true,
  on: inviteCodeScope,
  can: "invite.redeem",
  output: MessageResponse.extend({
    organization: z.object({ name: z.string(), slug: z.string() }),
    event: z.object({ name: z.string(), slug: z.string() }).nullable(),
    role: z.string(),
  }),
  errors: ["ALREADY_MEMBER", "INVITE_EXPIRED", "INVITE_DISABLED", "INVITE_EXHAUSTED"],
  run: async ({ code, actor, call }) => {
    const { organization, event, role } = await eventInvites.redeemAnyInvite({
      code,
      userId: actor.id,
      requestId: call.requestId,
    });
    return { message: `You are now part of ${event?.name ?? organization.name}.`, organization, event, role };
  },
});

export const showInviteQr = defineOperation({
  name: "showInviteQr",
  summary: "Create a QR image with the link of an invite to an event",
  on: eventInviteScope,
  can: "event.manageInvites",
  input: QrImageFormatQuery,
  output: null,
  produces: QR_IMAGE_MEDIA_TYPES,
  run: (invite, { format }) => {
    assertMayReadInviteCodes(invite.actor);
    return createEventInviteQrResponse(invite, format);
  },
});

export const showEventQr = defineOperation({
  name: "showEventQr",
  summary: "Create a QR image with the link to an event's report form",
  on: eventScope,
  can: "event.showQr",
  input: QrImageFormatQuery,
  output: null,
  produces: QR_IMAGE_MEDIA_TYPES,
  run: ({ eventId }, { format }) => createReportFormQrResponse(eventId, format),
});
