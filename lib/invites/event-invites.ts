import { z } from "zod";
import type { OperationContext } from "#lib/operation/operation.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { assertAndLockEventAdmin } from "#lib/events/roles.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import { insertInvite, redeemInvite, updateInvite } from "#lib/invites/invites.ts";
import { findInviteRowByCode } from "#lib/invites/queries.ts";
import {
  INVITE_COLUMNS,
  type InviteChangeInput,
  type NewEventInviteInput,
  toInviteRecord,
  type InviteRecord,
} from "#lib/invites/schema.ts";
import type { EventInvitePermissionSubject } from "#lib/invites/scope.ts";
import { buildOrganizationLogoUrl } from "#lib/organizations/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { timeOutput } from "#lib/operation/fields.ts";

/** Invites to events, and invites of either kind by their code (contract 6.5). */

/** Creates an invite to an event. @throws AppError FORBIDDEN */
export const createEventInvite = (
  context: OperationContext<EventPermissionSubject, Actor>,
  newInvite: NewEventInviteInput,
): Promise<InviteRecord> =>
  runTransaction(async (tx) => {
    await assertAndLockEventAdmin(tx, context.actor, context.eventId);
    return insertInvite(tx, context, newInvite);
  });

/** Lists the invites to an event, newest first. */
export async function listEventInvites(eventId: string): Promise<InviteRecord[]> {
  const orderBy = [{ createdAt: "desc" as const }, { id: "desc" as const }];
  const rows = await prisma.invite.findMany({ where: { eventId }, orderBy, select: INVITE_COLUMNS });
  return rows.map(toInviteRecord);
}

/** Disables, enables or annotates an invite to an event. @throws AppError FORBIDDEN, NOT_FOUND */
export const changeEventInvite = (
  context: OperationContext<EventInvitePermissionSubject, Actor>,
  change: InviteChangeInput,
): Promise<InviteRecord> =>
  runTransaction(async (tx) => {
    await assertAndLockEventAdmin(tx, context.actor, context.eventId);
    return updateInvite(tx, context, change);
  });

export const InviteOfferOutput = z.object({
  organization: z.object({ name: z.string(), slug: z.string(), logoUrl: z.string().nullable() }),
  event: z.object({ name: z.string(), slug: z.string() }).nullable(),
  invite: z.object({
    role: z.string(),
    expiresAt: timeOutput.nullable(),
    usable: z.boolean(),
    /** Whoever uses it becomes the outside person of the organization (contract 16.7). */
    outsidePerson: z.boolean(),
  }),
});

/** Loads what an invite of either kind offers. @throws AppError NOT_FOUND */
export async function loadInviteOffer(code: string): Promise<z.input<typeof InviteOfferOutput>> {
  const row = await findInviteRowByCode(code);
  if (!row) throw createNotFoundError("invite");
  return {
    organization: { name: row.name, slug: row.slug, logoUrl: buildOrganizationLogoUrl(row.id, row.logoKey) },
    event:
      row.eventName !== null && row.eventSlug !== null ? { name: row.eventName, slug: row.eventSlug } : null,
    invite: {
      role: row.role,
      expiresAt: row.expiresAt,
      usable: row.usable,
      outsidePerson: row.outsidePerson,
    },
  };
}

type Redemption = { code: string; userId: string; requestId: string };

/** Redeems an invite of either kind. @throws what `redeemInvite` throws */
export async function redeemAnyInvite({ code, userId, requestId }: Redemption) {
  const redeemedInvite = await runTransaction((tx) => redeemInvite(tx, { code, userId, requestId }));
  const event = redeemedInvite.eventId
    ? await prisma.event.findUnique({
        where: { id: redeemedInvite.eventId },
        select: { name: true, slug: true },
      })
    : null;
  const { name, slug } = redeemedInvite.organization;
  return { organization: { name, slug }, event, role: redeemedInvite.role };
}
