import type { Context } from "#lib/operation/operation.ts";
import { ownDeed } from "#lib/accounts/own-deed.ts";
import { audit } from "#lib/audit/audit.ts";
import { transaction, type Tx } from "#lib/database/client.ts";
import { AppError, unauthenticated } from "#lib/operation/errors.ts";
import { release } from "#lib/events/assignments.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { isVerified } from "#lib/accounts/email-verification.ts";
import { mustKnowPassword } from "#lib/accounts/own-password.ts";
import type { Deletion } from "#lib/accounts/schema.ts";
import { mustHaveCode, withCode } from "#lib/accounts/second-factors.ts";
import type { Actor, Subject } from "#lib/operation/policy.ts";

type Doing = Context<Subject, Actor>;

/**
 * Deletes one's own account: reports, messages and notes stay without the name; memberships, roles, sessions,
 * tokens, pins and notifications go; the audit log keeps the id. A last mail says so.
 * @throws InvalidInput for a wrong password or code; AppError LAST_ADMIN for whoever is the last one anywhere, which
 *   its details name; RATE_LIMITED
 */
export async function deleteAccount(doing: Doing, { password, code }: Deletion): Promise<void> {
  const userId = doing.actor.id;
  await mustKnowPassword(doing, password, "password");
  await withCode(doing, () =>
    transaction(async (tx) => {
      await mustHaveCode(tx, userId, code);
      await mustNotBeLastAnywhere(tx, userId);
      const { email, avatarKey, verified } = await lockSelf(tx, userId);
      const places = await placesOf(tx, userId);
      await releaseAll(tx, doing.actor);
      await tx.user.delete({ where: { id: userId }, select: { id: true } });
      if (avatarKey) await enqueue(tx, "files.remove", { keys: [avatarKey] });
      const locale = doing.actor.locale ?? null;
      if (verified)
        await enqueue(tx, "mail.notice", { userId, kind: "accountDeleted", formerEmail: email, locale });
      for (const place of places) await audit(tx, { ...ownDeed(doing, "account.leave"), ...place });
      await audit(tx, ownDeed(doing, "account.delete"));
    }),
  );
}

type Self = { email: string; avatarKey: string | null; verified: boolean };

/** Whoever is about to give this person a role waits, and then finds nobody. */
async function lockSelf(tx: Tx, userId: string): Promise<Self> {
  const [self] = await tx.$queryRaw<Self[]>`
    select u.email, u.avatar_key as "avatarKey", ${isVerified()} as verified
    from users u where u.id = ${userId}::uuid for update`;
  if (!self) throw unauthenticated();
  return self;
}

/** Of a role: its holder can act by it, or is the one who leaves. */
const countsAsAdmin = (leaver: string) =>
  Prisma.sql`(user_id = ${leaver}::uuid or exists (select 1 from users u where u.id = user_id and ${isVerified()}))`;

/**
 * Locks, in one order for everybody, all who are admins where this person is one, so that of the last two who
 * leave at the same time one stays.
 */
async function mustNotBeLastAnywhere(tx: Tx, userId: string): Promise<void> {
  type Held = { place: string; userId: string };
  const system = await tx.$queryRaw<Held[]>`
    select 'system' as place, id as "userId" from users u
    where system_admin and disabled_at is null and (${isVerified()} or id = ${userId}::uuid)
      and exists (select 1 from users where id = ${userId}::uuid and system_admin)
    order by id for no key update`;
  const organizations = await tx.$queryRaw<Held[]>`
    select organization_id as place, user_id as "userId" from organization_members
    where role = 'org_admin' and not pending and ${countsAsAdmin(userId)} and organization_id in (
      select organization_id from organization_members
      where user_id = ${userId}::uuid and role = 'org_admin' and not pending)
    order by organization_id, user_id for update`;
  const events = await tx.$queryRaw<Held[]>`
    select event_id as place, user_id as "userId" from event_roles
    where role_name = 'Admin' and not pending and ${countsAsAdmin(userId)} and event_id in (
      select event_id from event_roles where user_id = ${userId}::uuid and role_name = 'Admin' and not pending)
    order by event_id, user_id for update`;
  const alone = (held: Held[]) => {
    const others = new Set(held.filter((one) => one.userId !== userId).map(({ place }) => place));
    return held.map(({ place }) => place).filter((place) => !others.has(place));
  };
  const last = { system: alone(system), organizations: alone(organizations), events: alone(events) };
  if (Object.values(last).some((places) => places.length > 0)) throw await lastAdmin(tx, last);
}

type Last = { system: string[]; organizations: string[]; events: string[] };

async function lastAdmin(tx: Tx, { system, organizations, events }: Last): Promise<AppError> {
  const named = await tx.$queryRaw<{ role: string; name: string }[]>`
    select 'organization admin' as role, name from organizations where id = any(${organizations}::uuid[])
    union all select 'Admin', name from events where id = any(${events}::uuid[])
    order by role desc, name`;
  const roles = named.map(({ role, name }) => `${role} of ${name}`);
  const all = [...(system.length > 0 ? ["SystemAdmin"] : []), ...roles];
  return new AppError(
    "LAST_ADMIN",
    "Somebody would be left without an admin.",
    `You are the last ${all.join(", ")}. Make somebody else that first.`,
  );
}

/** What this person holds is unassigned, with a line in the history of each; the roles go first, as in `release`. */
async function releaseAll(tx: Tx, actor: Actor): Promise<void> {
  await tx.$executeRaw`delete from event_roles where user_id = ${actor.id}::uuid`;
  const held = await tx.$queryRaw<{ eventId: string; organizationId: string }[]>`
    select distinct i.event_id as "eventId", e.organization_id as "organizationId"
    from incidents i join events e on e.id = i.event_id
    where i.assigned_responder_id = ${actor.id}::uuid and i.state not in ('resolved', 'closed')
    order by e.organization_id, i.event_id`;
  for (const place of held) await release(tx, { ...place, userId: actor.id }, actor);
}

type Place = { organizationId: string; data: { userId: string; eventIds: string[] } };

/** Where the person belongs, for the log of each organization; in the order in which the logs are locked. */
async function placesOf(tx: Tx, userId: string): Promise<Place[]> {
  const rows = await tx.$queryRaw<{ organizationId: string; eventIds: string[] }[]>`
    select organization_id as "organizationId", coalesce(array_agg(event_id) filter (where event_id is not null), '{}') as "eventIds"
    from (
      select organization_id, null::uuid as event_id from organization_members where user_id = ${userId}::uuid
      union select e.organization_id, e.id from event_roles r join events e on e.id = r.event_id where r.user_id = ${userId}::uuid
    ) held group by organization_id order by organization_id`;
  return rows.map(({ organizationId, eventIds }) => ({ organizationId, data: { userId, eventIds } }));
}
