import { z } from "zod";
import { Message } from "#lib/accounts/schema.ts";
import { operation, type Context } from "#lib/operation/operation.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { holdEventAdmin } from "#lib/events/roles.ts";
import { eventScope, type EventSubject } from "#lib/events/scope.ts";
import { looksLikeCode, newInviteCode } from "#lib/crypto/random-code.ts";
import { redeemInvite } from "#lib/invites/invites.ts";
import { USABLE } from "#lib/invites/queries.ts";
import {
  INVITE_COLUMNS,
  Invite,
  InviteChange,
  NewEventInvite,
  inviteOf,
  type InviteRecord,
} from "#lib/invites/schema.ts";
import { codeScope, eventInviteScope } from "#lib/invites/scope.ts";
import { tell } from "#lib/outbox/append.ts";
import { organizationLogoUrl } from "#lib/organizations/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { time } from "#lib/operation/fields.ts";

/** Invites to events, and invites of either kind by their code (contract 6.5). */

export const createEventInvite = operation({
  name: "createEventInvite",
  summary: "Create an invite to an event",
  on: eventScope,
  can: "event.manageInvites",
  input: NewEventInvite,
  status: 201,
  output: Message.extend({ invite: Invite }),
  run: async (context, wanted) => ({
    message: "The invite is created.",
    invite: await create(context, wanted),
  }),
});

async function create(
  { organizationId, eventId, actor, right, call }: Context<EventSubject, Actor>,
  wanted: z.output<typeof NewEventInvite>,
): Promise<InviteRecord> {
  return transaction(async (tx) => {
    await holdEventAdmin(tx, actor, eventId);
    const data = { ...wanted, organizationId, eventId, code: newInviteCode(), createdById: actor.id };
    const row = await tx.invite.create({ data, select: INVITE_COLUMNS });
    await tell(tx, { kind: "invite.changed", actorId: actor.id, organizationId, eventId });
    await audit(tx, {
      action: "invite.create",
      organizationId,
      eventId,
      actorId: actor.id,
      right,
      object: { type: "invite", id: row.id },
      data: { role: row.role, maxUses: row.maxUses },
      requestId: call.requestId,
    });
    return inviteOf(row);
  });
}

export const listEventInvites = operation({
  name: "listEventInvites",
  summary: "List the invites to an event",
  on: eventScope,
  can: "event.manageInvites",
  output: z.object({ invites: z.array(Invite) }),
  run: async ({ eventId }) => {
    const orderBy = [{ createdAt: "desc" as const }, { id: "desc" as const }];
    return {
      invites: (await db.invite.findMany({ where: { eventId }, orderBy, select: INVITE_COLUMNS })).map(
        inviteOf,
      ),
    };
  },
});

export const changeEventInvite = operation({
  name: "changeEventInvite",
  summary: "Disable, enable or annotate an invite to an event",
  on: eventInviteScope,
  can: "event.manageInvites",
  input: InviteChange,
  output: Message.extend({ invite: Invite }),
  run: async ({ organizationId, eventId, inviteId, actor, right, call }, change) => {
    const invite = await transaction(async (tx) => {
      await holdEventAdmin(tx, actor, eventId);
      const where = { id: inviteId, eventId };
      const [row] = await tx.invite.updateManyAndReturn({ where, data: change, select: INVITE_COLUMNS });
      if (!row) throw notFound("This invite");
      await tell(tx, { kind: "invite.changed", actorId: actor.id, organizationId, eventId });
      await audit(tx, {
        action: "invite.change",
        organizationId,
        eventId,
        actorId: actor.id,
        right,
        object: { type: "invite", id: inviteId },
        data: { fields: Object.keys(change), disabled: row.disabled },
        requestId: call.requestId,
      });
      return inviteOf(row);
    });
    return { message: "The invite is changed.", invite };
  },
});

const AnyInviteView = z.object({
  organization: z.object({ name: z.string(), slug: z.string(), logoUrl: z.string().nullable() }),
  event: z.object({ name: z.string(), slug: z.string() }).nullable(),
  invite: z.object({ role: z.string(), expiresAt: time.nullable(), usable: z.boolean() }),
});

/** What the bearer of a code sees, whatever it opens: names, role, expiry and whether it is usable (contract 5.3). */
export const viewAnyInvite = operation({
  name: "viewInvite",
  summary: "See what an invite offers",
  on: codeScope,
  can: "invite.view",
  limit: "lookup",
  output: AnyInviteView,
  run: async ({ code }) => {
    type Row = {
      id: string;
      name: string;
      slug: string;
      logoKey: string | null;
      eventName: string | null;
      eventSlug: string | null;
      role: string;
      expiresAt: Date | null;
      usable: boolean;
    };
    const rows = looksLikeCode(code)
      ? await db.$queryRaw<Row[]>`
          select o.id, o.name, o.slug, o.logo_key as "logoKey", e.name as "eventName", e.slug as "eventSlug", i.role,
            i.expires_at as "expiresAt", ${USABLE} as usable
          from invites i join organizations o on o.id = i.organization_id left join events e on e.id = i.event_id
          where i.code = ${code}`
      : [];
    const [row] = rows;
    if (!row) throw notFound("This invite");
    return {
      organization: { name: row.name, slug: row.slug, logoUrl: organizationLogoUrl(row.id, row.logoKey) },
      event:
        row.eventName !== null && row.eventSlug !== null
          ? { name: row.eventName, slug: row.eventSlug }
          : null,
      invite: { role: row.role, expiresAt: row.expiresAt, usable: row.usable },
    };
  },
});

export const redeemAnyInvite = operation({
  name: "redeemInvite",
  summary: "Accept an invite to an organization or an event",
  on: codeScope,
  can: "invite.redeem",
  output: Message.extend({
    organization: z.object({ name: z.string(), slug: z.string() }),
    event: z.object({ name: z.string(), slug: z.string() }).nullable(),
    role: z.string(),
  }),
  run: async ({ code, actor, call }) => {
    const used = await transaction((tx) =>
      redeemInvite(tx, { code, userId: actor.id, requestId: call.requestId }),
    );
    const event = used.eventId
      ? await db.event.findUnique({ where: { id: used.eventId }, select: { name: true, slug: true } })
      : null;
    const { name, slug } = used.organization;
    return {
      message: `You are now part of ${event?.name ?? name}.`,
      organization: { name, slug },
      event,
      role: used.role,
    };
  },
});
