import { prisma } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { isStillAdminSql } from "#lib/events/held-roles.ts";
import type { ExclusionRecord } from "#lib/exclusions/schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { ActorContext } from "#lib/incidents/incidents.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { can, hasSystemAccessTo, isTeamMember } from "#lib/operation/policy.ts";
import { possibleReadersSql, readersSql } from "#lib/operation/team-sql.ts";

export type ExclusionContext = ActorContext & { incidentId: string; reporterId: string | null };
export type ExclusionSource = ExclusionRecord["source"];
export type ExclusionRequest = { userId: string; source: ExclusionSource };

/** Lists the people who must not see an incident, in order of time. Reasons are for the team. */
export async function listExclusions(context: ExclusionContext): Promise<ExclusionRecord[]> {
  const rows = await prisma.incidentExclusion.findMany({
    where: { incidentId: context.incidentId },
    orderBy: [{ createdAt: "asc" }, { userId: "asc" }],
    select: {
      source: true,
      reason: true,
      createdAt: true,
      openedUntil: true,
      user: { select: { id: true, name: true } },
    },
  });
  const onTeam = isTeamMember(context.actor, context.eventId);
  const now = new Date();
  return rows.map(({ user, reason, openedUntil, ...row }) => ({
    ...row,
    person: user,
    reason: onTeam ? reason : null,
    canLift: canLift(context, { ...row, userId: user.id }),
    openedUntil: openedUntil && openedUntil > now ? openedUntil : null,
  }));
}

/**
 * What the reporter asked for, the reporter lifts, or a SystemAdmin where the reporter has no account. What the team
 * decided, an Admin who sees the incident or its reporter lifts; a recusal, an Admin. Nobody lifts their own.
 */
export function canLift(
  { actor, eventId, reporterId }: ExclusionContext,
  { source, userId }: ExclusionRequest,
): boolean {
  if (userId === actor.id) return false;
  const isReporter = reporterId === actor.id;
  if (source === "reporter") return isReporter || (reporterId === null && hasSystemAccessTo(actor, eventId));
  return can(actor, "event.manageRoles", { eventId }) || (source === "team" && isReporter);
}

type LockedIncident = {
  mayExclude: boolean;
  onTeam: boolean;
  reported: boolean;
  hasOtherReader: boolean;
};

/**
 * Returns why the person can't be excluded; undefined if they can.
 * @throws AppError NOT_FOUND; FORBIDDEN when the role was lost meanwhile
 */
export async function findExclusionProblem(
  tx: Pick<SqlClient, "$queryRaw">,
  { incidentId, eventId, actor }: ExclusionContext,
  { userId, source }: ExclusionRequest,
): Promise<"mustBeOnTeam" | "mustLeaveReader" | undefined> {
  const [row] = await tx.$queryRaw<LockedIncident[]>`
    with readers as (
      ${readersSql(eventId)} and not exists (select 1 from incident_exclusions x where x.incident_id = ${incidentId}::uuid and x.user_id = r.user_id)
    )
    select ${source === "team" ? isStillAdminSql(actor, eventId) : Prisma.sql`true`} as "mayExclude",
      exists (select 1 from (${possibleReadersSql(eventId)}) p where p.user_id = ${userId}::uuid)
        or exists (select 1 from users u where u.id = ${userId}::uuid and u.system_admin)
        or exists (select 1 from incident_exclusions x where x.incident_id = i.id and x.user_id = ${userId}::uuid) as "onTeam",
      coalesce(i.reporter_id = ${userId}::uuid, false) as reported,
      exists (select 1 from readers where user_id <> ${userId}::uuid) as "hasOtherReader"
    from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid`;
  if (!row) throw createNotFoundError("incident");
  if (!row.mayExclude) throw createForbiddenError();
  if (!row.onTeam || row.reported) return "mustBeOnTeam";
  return row.hasOtherReader ? undefined : "mustLeaveReader";
}
