import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { hasInviteCodeFormat } from "#lib/crypto/random-code.ts";
import { INVITE_COLUMNS, toInviteRecord } from "#lib/invites/schema.ts";
import type { InviteRecord, OrganizationInviteOfferRecord } from "#lib/invites/schema.ts";
import { buildOrganizationLogoUrl } from "#lib/organizations/schema.ts";
import type { OrganizationRole } from "#lib/operation/policy.ts";

/**
 * Lists the invites to an organization, newest first, including used-up and disabled ones, but not those to its events.
 */
export async function listOrganizationInvites(organizationId: string): Promise<InviteRecord[]> {
  const rows = await prisma.invite.findMany({
    where: { organizationId, eventId: null },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: INVITE_COLUMNS,
  });
  return rows.map(toInviteRecord);
}

/**
 * Loads the invite that was created with the organization, while it is usable.
 * @throws AppError NOT_FOUND afterwards
 */
export async function loadUsableInitialOrganizationInvite(organizationId: string): Promise<InviteRecord> {
  const row = await prisma.invite.findFirst({
    where: {
      organizationId,
      initial: true,
      disabled: false,
      useCount: 0,
      OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
    },
    orderBy: { createdAt: "asc" },
    select: INVITE_COLUMNS,
  });
  if (!row) throw createNotFoundError("firstInvite");
  return toInviteRecord(row);
}

/**
 * Shows what a code offers before its holder joins an organization (contract 5.3).
 * @throws AppError NOT_FOUND, also for codes of event invites
 */
export async function showOrganizationInvite(code: string): Promise<OrganizationInviteOfferRecord> {
  const row = await findInviteRowByCode(code);
  if (!row || row.eventSlug !== null) throw createNotFoundError("invite");
  const { id, name, slug, logoKey, expiresAt, usable } = row;
  return {
    organization: { name, slug, logoUrl: buildOrganizationLogoUrl(id, logoKey) },
    invite: { role: row.role as OrganizationRole, expiresAt, usable },
  };
}

type InviteRow = {
  id: string;
  name: string;
  slug: string;
  logoKey: string | null;
  eventName: string | null;
  eventSlug: string | null;
  role: string;
  expiresAt: Date | null;
  usable: boolean;
  outsidePerson: boolean;
};

/** Finds an invite of either kind by its code. */
export async function findInviteRowByCode(code: string): Promise<InviteRow | undefined> {
  if (!hasInviteCodeFormat(code)) return undefined;
  const [row] = await sql.$queryRaw<InviteRow[]>`
    select o.id, o.name, o.slug, o.logo_key as "logoKey", e.name as "eventName", e.slug as "eventSlug", i.role,
      i.expires_at as "expiresAt", i.outside_person as "outsidePerson", ${IS_INVITE_USABLE_SQL} as usable
    from invites i join organizations o on o.id = i.organization_id left join events e on e.id = i.event_id
    where i.code = ${code}`;
  return row;
}

/** Finds why an invite may be unusable, by the clock of the database. */
export async function findInviteState(
  tx: SqlClient,
  inviteId: string,
): Promise<{ disabled: boolean; expired: boolean } | undefined> {
  const [row] = await tx.$queryRaw<{ disabled: boolean; expired: boolean }[]>`
    select disabled, coalesce(expires_at <= clock_timestamp(), false) as expired
    from invites where id = ${inviteId}::uuid`;
  return row;
}

/** Whether an invite `i` is usable now, by the clock of the database. */
export const IS_INVITE_USABLE_SQL = Prisma.sql`(not i.disabled and (i.expires_at is null or i.expires_at > clock_timestamp())
  and (i.max_uses is null or i.use_count < i.max_uses))`;
