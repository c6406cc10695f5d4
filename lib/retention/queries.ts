import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { isCountedSql, type Reader } from "#lib/access/readers-sql.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { type RetentionDate, type RetentionRules, type RetentionSchedule } from "./schema.ts";
import {
  IS_DELETION_DUE_SQL,
  IS_RESOLVED_OR_CLOSED_SQL,
  fromIncidentsUnderRetentionSql,
  RETENTION_RULES_TABLE_SQL,
  TODAY_UTC_SQL,
} from "./due-sql.ts";

/** Lists incidents that are due for deletion, in the order of their ids, after `after`. */
export async function listIncidentIdsDueForDeletion(
  after: string | undefined,
  count: number,
): Promise<string[]> {
  const position = after === undefined ? Prisma.empty : Prisma.sql`and i.id > ${after}::uuid`;
  const rows = await sql.$queryRaw<{ id: string }[]>`
    select i.id ${fromIncidentsUnderRetentionSql(RETENTION_RULES_TABLE_SQL)} and ${IS_DELETION_DUE_SQL} ${position} order by i.id limit ${count}::int`;
  return rows.map(({ id }) => id);
}

type DueIncident = { organizationId: string; eventId: string; rule: string; months: number };

/** Returns an incident's event, organization and rule if its deletion is due now. */
export async function findIncidentIfDeletionDue(
  client: SqlClient,
  incidentId: string,
): Promise<DueIncident | undefined> {
  const [row] = await client.$queryRaw<DueIncident[]>`
    select e.organization_id as "organizationId", e.id as "eventId", d.rule, m.months
    ${fromIncidentsUnderRetentionSql(RETENTION_RULES_TABLE_SQL)} and i.id = ${incidentId}::uuid and ${IS_DELETION_DUE_SQL}`;
  return row;
}

/** Loads the rules of an organization; without any, finished reports are kept. */
export async function loadRetentionRules(organizationId: string): Promise<RetentionRules> {
  const rules = await prisma.retentionRules.findUnique({
    where: { organizationId },
    select: { resolvedMonths: true, closedMonths: true, withoutNameMonths: true, changedAt: true },
  });
  return rules ?? { resolvedMonths: null, closedMonths: null, withoutNameMonths: null, changedAt: null };
}

/**
 * Loads when an incident is deleted and why, and the hold on it. The caller has checked that the actor may see the
 * incident.
 */
export async function loadIncidentRetention(incidentId: string) {
  const [[date], row] = await Promise.all([
    sql.$queryRaw<Omit<RetentionDate, "onHold">[]>`
      select d.delete_on::text as "deleteOn", d.rule, m.months, d.delayed_by as "delayedBy"
      ${fromIncidentsUnderRetentionSql(RETENTION_RULES_TABLE_SQL)} and i.id = ${incidentId}::uuid`,
    prisma.incidentRetention.findUnique({
      where: { incidentId, heldAt: { not: null } },
      select: {
        heldById: true,
        heldBy: { select: { name: true } },
        reason: true,
        reviewOn: true,
        heldAt: true,
      },
    }),
  ]);
  const hold = row?.heldAt
    ? {
        heldById: row.heldById,
        heldByName: row.heldBy?.name ?? null,
        reason: row.reason ?? "",
        reviewOn: row.reviewOn!.toISOString().slice(0, 10),
        heldAt: row.heldAt,
      }
    : null;
  return {
    deleteOn: hold ? null : (date?.deleteOn ?? null),
    rule: date?.rule ?? null,
    months: date?.months ?? null,
    delayedBy: date?.delayedBy ?? null,
    onHold: hold !== null,
    hold,
  };
}

/**
 * Returns whether somebody else could release a hold: a Responder or Admin who has accepted the role, isn't disabled,
 * didn't step out, and isn't somebody from whom the reporter hid it. People from whom the team hid it count too: otherwise
 * an Admin could hide it from everybody else and then release the hold alone.
 */
export async function canAnotherTeamMemberReleaseHold(
  client: SqlClient,
  { eventId, incidentId }: { eventId: string; incidentId: string },
  userId: string,
): Promise<boolean> {
  const rows = await client.$queryRaw<{ id: string }[]>`
    select r.id from event_roles r join users u on u.id = r.user_id and u.disabled_at is null
    where r.event_id = ${eventId}::uuid and r.user_id <> ${userId}::uuid and not r.pending
      and r.role_name in ${TEAM_ROLES_SQL} and exists (select 1 from incidents i left join incident_readers x
        on x.incident_id = i.id and x.user_id = r.user_id where i.id = ${incidentId}::uuid
        and coalesce(x.access >= 'ask' or x.access = 'none' and x.source = 'team', not i.listed)) limit 1`;
  return rows.length > 0;
}

/** Returns whether a person may release a hold: somebody else's, or their own where nobody else could release it. */
export const canReleaseHold = async (
  incident: { eventId: string; incidentId: string },
  { heldById, userId }: { heldById: string | null; userId: string },
): Promise<boolean> => heldById !== userId || !(await canAnotherTeamMemberReleaseHold(sql, incident, userId));

type RuleMonths = Pick<RetentionRules, "resolvedMonths" | "closedMonths" | "withoutNameMonths">;

/** Unsaved rules as rows `r`, as if they were saved now. */
const unsavedRulesSql = (organizationId: string, rules: RuleMonths): Prisma.Sql => Prisma.sql`
  (select ${organizationId}::uuid as organization_id, ${rules.resolvedMonths}::int as resolved_months,
    ${rules.closedMonths}::int as closed_months, ${rules.withoutNameMonths}::int as without_name_months, now() as changed_at)`;

type ScheduledMonth = { month: string; id: string; name: string; slug: string; reports: number };

/**
 * Counts the reports that will be deleted, by month and event; numbers only (contract 17.1).
 * @param unsaved rules to try out, instead of those that are saved
 */
export async function loadScheduledDeletionCountsByMonth(
  { organizationId, reader }: { organizationId: string; reader: Reader },
  unsaved?: RuleMonths,
): Promise<RetentionSchedule> {
  const rules = unsaved ? unsavedRulesSql(organizationId, unsaved) : RETENTION_RULES_TABLE_SQL;
  const ofOrganization = Prisma.sql`e.organization_id = ${organizationId}::uuid`;
  const isShown = Prisma.sql`${ofOrganization} and ${isCountedSql(reader)}`;
  const [months, [counts]] = await Promise.all([
    sql.$queryRaw<ScheduledMonth[]>`
      select to_char(greatest(d.delete_on, ${TODAY_UTC_SQL}), 'YYYY-MM') as month, e.id, e.name, e.slug, count(*)::int as reports
      ${fromIncidentsUnderRetentionSql(rules)} and ${isShown} and not d.held
      group by 1, 2, 3, 4 order by 1, reports desc, e.name collate title_order, e.id`,
    sql.$queryRaw<{ finished: number; held: number; deleted: number }[]>`
      select count(*)::int as finished, (count(*) filter (where h.held_at is not null))::int as held,
        (select count(*)::int from report_tombstones t join events e on e.id = t.event_id where ${ofOrganization}) as deleted
      from incidents i join events e on e.id = i.event_id left join incident_retention h on h.incident_id = i.id
      where ${isShown} and ${IS_RESOLVED_OR_CLOSED_SQL}`,
  ]);
  const { finished = 0, held = 0, deleted = 0 } = counts ?? {};
  const scheduled = months.reduce((total, { reports }) => total + reports, 0);
  return {
    months: [...Map.groupBy(months, ({ month }) => month)].map(([month, events]) => ({
      month,
      reports: events.reduce((total, { reports }) => total + reports, 0),
      events: events.map(({ id, name, slug, reports }) => ({ id, name, slug, reports })),
    })),
    undated: finished - held - scheduled,
    held,
    deleted,
  };
}
