import { z } from "zod";
import { MessageResponse } from "#lib/accounts/schema.ts";
import {
  globalScope,
  createContainerScope,
  defineOperation,
  type PathParams,
} from "#lib/operation/operation.ts";
import * as invitations from "#lib/invites/invitations.ts";
import { InvitationOutput } from "#lib/invites/invitation-schema.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";
import { listInvitationsReceivedByUser } from "#lib/invites/invitation-queries.ts";

/** The current user's invitations (contract 2.7). */

const invitationScope = createContainerScope(
  async (params: PathParams): Promise<PermissionSubject & { placeId: string }> => ({
    placeId: parsePathIdOrNilUuid(params.invitationId),
  }),
);

export const listInvitations = defineOperation({
  name: "listInvitations",
  summary: "List the roles that you were granted and haven't accepted yet",
  on: globalScope,
  can: "invitation.own",
  output: z.object({ invitations: z.array(InvitationOutput) }),
  run: async ({ actor }) => ({ invitations: await listInvitationsReceivedByUser(actor.id) }),
});

export const acceptInvitation = defineOperation({
  name: "acceptInvitation",
  summary: "Accept an invitation; the people there can then see your email address",
  on: invitationScope,
  can: "invitation.own",
  output: MessageResponse,
  run: async ({ actor, call, placeId }) => {
    await invitations.acceptInvitation({ actor, requestId: call.requestId }, placeId);
    return { message: "You have accepted the invitation." };
  },
});

export const declineInvitation = defineOperation({
  name: "declineInvitation",
  summary: "Decline an invitation; its roles are removed",
  on: invitationScope,
  can: "invitation.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, call, placeId }) => {
    await invitations.declineInvitation({ actor, requestId: call.requestId }, placeId);
    return undefined;
  },
});
