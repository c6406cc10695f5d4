import type { SystemStatsRecord } from "#lib/admin/schema.ts";
import { findBoundsOfFirstAuditSeqSince } from "#lib/audit/queries.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { listUncountedIncidentIds } from "#lib/access/readers-queries.ts";
import { countedIncidentCountsSql, isCountedSql, type Reader } from "#lib/access/readers-sql.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

/**
 * Loads statistics of the whole installation from counters and aggregates, in a fixed number of statements, without the incidents
 * hidden from the reader.
 */
export async function loadSystemStatistics(now: Date, reader: Reader): Promise<SystemStatsRecord> {
  const since = new Date(now.getTime() - 30 * DAY_MS);
  const [users, places, incidents, files, signIns, months] = await Promise.all([
    countUsers(),
    countOrganizationsAndEvents(),
    countIncidents(reader),
    listUncountedIncidentIds(reader).then(countVisibleEvidenceFilesAndBytes),
    countSignIns(since),
    countNewPerMonth(now, reader),
  ]);
  const { active, ...rest } = { ...users, active: signIns.people };
  return {
    users: { ...rest, active },
    ...places,
    incidents,
    files,
    signIns: signIns.count,
    newPerMonth: months,
  };
}

async function countUsers() {
  const groups = await prisma.user.groupBy({ by: ["systemAdmin"], _count: { _all: true, disabledAt: true } });
  const admins = groups.find(({ systemAdmin }) => systemAdmin)?._count ?? { _all: 0, disabledAt: 0 };
  return {
    total: groups.reduce((sum, { _count }) => sum + _count._all, 0),
    disabled: groups.reduce((sum, { _count }) => sum + _count.disabledAt, 0),
    systemAdmins: admins._all - admins.disabledAt,
  };
}

async function countOrganizationsAndEvents() {
  const [organizations, total, active] = await Promise.all([
    prisma.organization.count(),
    prisma.event.count(),
    prisma.event.count({ where: { isActive: true } }),
  ]);
  return { organizations, events: { total, active } };
}

async function countIncidents(reader: Reader): Promise<SystemStatsRecord["incidents"]> {
  const [states] = await sql.$queryRaw<Omit<SystemStatsRecord["incidents"], "total">[]>`
    select coalesce(sum(c.submitted), 0)::int as submitted, coalesce(sum(c.acknowledged), 0)::int as acknowledged,
      coalesce(sum(c.investigating), 0)::int as investigating, coalesce(sum(c.resolved), 0)::int as resolved,
      coalesce(sum(c.closed), 0)::int as closed from ${countedIncidentCountsSql(reader)} c`;
  return { total: Object.values(states!).reduce((sum, count) => sum + count, 0), ...states! };
}

/** Counts the files of evidence, and the bytes of these and their originals, without those of hidden incidents. */
export async function countVisibleEvidenceFilesAndBytes(
  hidden: readonly string[],
): Promise<{ count: number; bytes: number }> {
  const [files] = await sql.$queryRaw<{ count: number; bytes: bigint }[]>`
    select count(*)::int as count, coalesce(sum(size::bigint + coalesce(original_size, 0)), 0)::bigint as bytes
    from related_files where incident_id <> all(${[...hidden]}::uuid[])`;
  return { count: files!.count, bytes: Number(files!.bytes) };
}

/**
 * Counts the sign-ins since a time, and the people who signed in, from the system's audit log. Reads no older entries.
 */
async function countSignIns(since: Date): Promise<{ count: number; people: number }> {
  const { lo } = await findBoundsOfFirstAuditSeqSince("system", since);
  const [signIns] = await sql.$queryRaw<{ count: number; people: number }[]>`
    select count(*)::int as count, count(distinct actor_id)::int as people from audit_entries
    where chain = 'system' and action = 'account.signIn' and seq >= ${lo}::bigint and at >= ${since}::timestamptz`;
  return signIns!;
}

type Months = SystemStatsRecord["newPerMonth"];

async function countNewPerMonth(now: Date, reader: Reader): Promise<Months> {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11, 1));
  const rows = await sql.$queryRaw<{ kind: keyof Months; month: string; count: number }[]>`
    select kind, to_char(created_at at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as count from (
      select 'users' as kind, created_at from users where created_at >= ${first}::timestamptz
      union all select 'organizations', created_at from organizations where created_at >= ${first}::timestamptz
      union all select 'events', created_at from events where created_at >= ${first}::timestamptz
      union all select 'incidents', created_at from incidents i where created_at >= ${first}::timestamptz and ${isCountedSql(reader)}
    ) made group by 1, 2`;
  const found = new Map(rows.map(({ kind, month, count }) => [`${kind} ${month}`, count]));
  const monthlyCounts = (kind: keyof Months) =>
    listMonths(first).map((month) => ({ month, count: found.get(`${kind} ${month}`) ?? 0 }));
  return {
    users: monthlyCounts("users"),
    organizations: monthlyCounts("organizations"),
    events: monthlyCounts("events"),
    incidents: monthlyCounts("incidents"),
  };
}

const listMonths = (first: Date): string[] =>
  Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1)).toISOString().slice(0, 7),
  );
