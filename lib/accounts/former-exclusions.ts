import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import type { Tx } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Exclusions of people who delete their account and come back with the same address (docs/decisions/071). Their rows
 * keep a keyed hash of the address, by which a new account is excluded from the same incidents.
 */

const hashAddress = (email: string) => computeKeyedHash("excluded-address", email.toLowerCase());

/**
 * Stores a keyed hash of the address with the exclusions of an account, in the transaction that deletes the account.
 */
export async function storeExcludedEmailHash(tx: Tx, userId: string, email: string): Promise<void> {
  await tx.incidentExclusion.updateMany({ where: { userId }, data: { emailHash: hashAddress(email) } });
}

type NewReader = {
  userId: string;
  /** Null for somebody who becomes SystemAdmin. */
  organizationId: string | null;
};

/**
 * Excludes somebody from what was hidden from a deleted account with their address. Runs in the transaction that gives
 * them a role with which they could read it. An exclusion that they inherit from whoever gives it is replaced, because
 * any Admin could lift that.
 */
export async function reapplyExclusionsOfDeletedAccount(
  tx: Tx,
  { userId, organizationId }: NewReader,
): Promise<void> {
  const user = await tx.user.findUnique({ where: { id: userId }, select: { email: true } });
  if (!user) return;
  const where =
    organizationId === null ? Prisma.sql`true` : Prisma.sql`e.organization_id = ${organizationId}::uuid`;
  await tx.$executeRaw`
    insert into incident_exclusions (incident_id, user_id, source, excluded_by_id, reason)
    select distinct on (x.incident_id) x.incident_id, ${userId}::uuid, x.source, x.excluded_by_id, x.reason
    from incident_exclusions x join incidents i on i.id = x.incident_id join events e on e.id = i.event_id
    where x.email_hash = ${hashAddress(user.email)} and ${where} and i.reporter_id is distinct from ${userId}::uuid
    order by x.incident_id, x.source
    on conflict (incident_id, user_id) do update
      set source = excluded.source, excluded_by_id = excluded.excluded_by_id, reason = excluded.reason
      where incident_exclusions.source = 'team' and incident_exclusions.excluded_by_id is null`;
}

/** Clears the hash of a person's address from an incident that they may see again. */
export async function clearExcludedEmailHash(tx: Tx, incidentId: string, userId: string): Promise<void> {
  const user = await tx.user.findUnique({ where: { id: userId }, select: { email: true } });
  if (!user) return;
  const where = { incidentId, emailHash: hashAddress(user.email) };
  await tx.incidentExclusion.updateMany({ where, data: { emailHash: null } });
}
