import { prisma, sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { computePageOffset } from "#lib/operation/fields.ts";
import type { Actor } from "#lib/operation/policy.ts";
import {
  eventsOfTeamSql,
  hasReadRecordSql,
  isReadAsTeamSql,
  knownPersonOfGroupSql,
} from "#lib/people/readable-sql.ts";
import type { IncidentPersonRecord, PeopleQuery, PersonInReports } from "#lib/people/schema.ts";

/**
 * Reads the people named in incidents. Whatever is said of somebody follows from the records that the actor reads, and from
 * nothing else (contract 7.22).
 */

const NEWEST_REPORTS = 10;
const OFFERED_PEOPLE = 3;

const utcTextSql = (column: Prisma.Sql) =>
  Prisma.sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const REPORT_JSON_SQL = Prisma.sql`json_build_object('id', n.id, 'title', n.title, 'state', n.state,
  'createdAt', ${utcTextSql(Prisma.sql`n.created_at`)}, 'resolvedAt', ${utcTextSql(Prisma.sql`n.resolved_at`)},
  'event', json_build_object('id', e.id, 'name', e.name, 'slug', e.slug))`;

/**
 * A JSON object of incidents: how many the actor reads, how many of those came before a time, and the newest.
 * @param incidentIds a query of ids
 */
const reportsJsonSql = (actor: Actor, incidentIds: Prisma.Sql, before: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  select json_build_object('count', coalesce(max(n.count), 0), 'earlier', coalesce(max(n.earlier), 0),
    'newest', coalesce(json_agg(${REPORT_JSON_SQL} order by n.created_at desc, n.id desc), '[]'))
  from (
    select i.id, i.event_id, i.title, i.state, i.created_at, i.resolved_at, count(*) over () as count,
      count(*) filter (where i.created_at < ${before}) over () as earlier
    from incidents i where i.id in (${incidentIds}) and ${isReadAsTeamSql(actor)}
    order by i.created_at desc, i.id desc limit ${NEWEST_REPORTS}::int
  ) n join events e on e.id = n.event_id)`;

/** Records of other incidents, `o`, whose person has a name, handle or address of record `r` of person `p`. */
const MATCHING_RECORDS_SQL = Prisma.sql`incident_people o join people op on op.id = o.person_id
  where o.match_terms && r.match_terms and o.incident_id <> r.incident_id and op.organization_id = p.organization_id`;

const otherReportsJsonSql = (actor: Actor): Prisma.Sql =>
  reportsJsonSql(
    actor,
    Prisma.sql`select o.incident_id from people op join incident_people o on o.person_id = op.id
        where op.group_id = p.group_id and o.incident_id <> r.incident_id
      union select o.incident_id from ${MATCHING_RECORDS_SQL}`,
    Prisma.sql`this.created_at`,
  );

const samePeopleJsonSql = (actor: Actor): Prisma.Sql => Prisma.sql`(
  select coalesce(json_agg(json_build_object('personId', known.id, 'codeName', known.code_name) order by s.newest desc, known.id), '[]')
  from (
    select op.group_id, max(o.created_at) as newest
    from ${MATCHING_RECORDS_SQL} and op.group_id <> p.group_id
      and exists (select 1 from incidents i where i.id = o.incident_id and ${isReadAsTeamSql(actor)})
    group by op.group_id order by newest desc, op.group_id limit ${OFFERED_PEOPLE}::int
  ) s cross join lateral (${knownPersonOfGroupSql(actor, Prisma.sql`s.group_id`)}) known)`;

const selectRecordsSql = (actor: Actor): Prisma.Sql => Prisma.sql`
  select r.id, r.name, r.role, r.handles, r.addresses, r.created_at as "createdAt", r.updated_at as "updatedAt",
    known.id as "personId", known.code_name as "codeName",
    exists (select 1 from people q where q.group_id = p.group_id and q.id <> p.id and ${hasReadRecordSql(actor)}) as joined,
    ${otherReportsJsonSql(actor)} as "otherReports", ${samePeopleJsonSql(actor)} as "samePeople"
  from incident_people r join people p on p.id = r.person_id join incidents this on this.id = r.incident_id
    cross join lateral (${knownPersonOfGroupSql(actor, Prisma.sql`p.group_id`)}) known`;

type IncidentReader = { actor: Actor; incidentId: string };

/** Lists the people of an incident that the actor reads, in the order in which they were added. */
export const listPeopleOfIncident = ({
  actor,
  incidentId,
}: IncidentReader): Promise<IncidentPersonRecord[]> =>
  sql.$queryRaw<IncidentPersonRecord[]>`${selectRecordsSql(actor)}
    where r.incident_id = ${incidentId}::uuid order by r.created_at, r.id`;

/** Loads a person of an incident. @throws AppError NOT_FOUND */
export async function loadPersonOfIncident(
  { actor, incidentId }: IncidentReader,
  recordId: string,
): Promise<IncidentPersonRecord> {
  const [record] = await sql.$queryRaw<IncidentPersonRecord[]>`${selectRecordsSql(actor)}
    where r.incident_id = ${incidentId}::uuid and r.id = ${recordId}::uuid`;
  if (!record) throw createNotFoundError("person");
  return record;
}

/** Finds the person of a record of an incident. */
export const findPersonOfRecord = (
  incidentId: string,
  id: string,
): Promise<{ id: string; personId: string } | null> =>
  prisma.incidentPerson.findUnique({ where: { id, incidentId }, select: { id: true, personId: true } });

/**
 * Lists a page of the people whom the actor knows, by the newest record that they read of each. For each event an index has
 * its records in that order, and one is shown if its person has no newer one.
 * @returns one person more than a page has, if there is another page
 */
export const listPeopleInReports = (
  actor: Actor,
  { organization, page, limit }: PeopleQuery,
): Promise<PersonInReports[]> => {
  const offset = computePageOffset(page, limit);
  return sql.$queryRaw<PersonInReports[]>`
    select known.id as "personId", known.code_name as "codeName",
      json_build_object('id', g.id, 'name', g.name, 'slug', g.slug) as organization,
      (select array_agg(distinct r.role::text order by r.role::text) from ${recordsOfGroupSql(actor)}) as roles,
      ${reportsJsonSql(actor, Prisma.sql`select r.incident_id from people q join incident_people r on r.person_id = q.id where q.group_id = f.group_id`, Prisma.sql`now()`)} as reports
    from (
      select c.* from (${eventsOfTeamSql(actor, organization)}) v cross join lateral (
        select r.id, r.created_at, p.group_id, p.organization_id
        from incident_people r join people p on p.id = r.person_id join incidents i on i.id = r.incident_id
        where r.event_id = v.id and ${isReadAsTeamSql(actor)} and not exists (
          select 1 from people q join incident_people n on n.person_id = q.id join incidents i on i.id = n.incident_id
          where q.group_id = p.group_id and (n.created_at, n.id) > (r.created_at, r.id) and ${isReadAsTeamSql(actor)})
        order by r.created_at desc, r.id desc limit ${offset + limit + 1}::bigint
      ) c order by c.created_at desc, c.id desc limit ${limit + 1}::bigint offset ${offset}::bigint
    ) f join organizations g on g.id = f.organization_id
      cross join lateral (${knownPersonOfGroupSql(actor, Prisma.sql`f.group_id`)}) known
    order by f.created_at desc, f.id desc`;
};

/** Records `r`, of incidents that the actor reads, of the group `f.group_id`. */
const recordsOfGroupSql = (actor: Actor): Prisma.Sql => Prisma.sql`people q
  join incident_people r on r.person_id = q.id join incidents i on i.id = r.incident_id
  where q.group_id = f.group_id and ${isReadAsTeamSql(actor)}`;

type ReadRecord = {
  personId: string;
  name: string;
  incidentId: string;
  eventId: string;
  organizationId: string;
};

/** Lists the records that the actor reads of a person and those joined with them; none if they read none of that person. */
export const listReadRecordsOfPerson = (actor: Actor, personId: string): Promise<ReadRecord[]> =>
  sql.$queryRaw<ReadRecord[]>`
    select r.person_id as "personId", r.name, r.incident_id as "incidentId", r.event_id as "eventId",
      q.organization_id as "organizationId"
    from (select q.group_id from people q where q.id = ${personId}::uuid and ${hasReadRecordSql(actor)}) f
      cross join ${recordsOfGroupSql(actor)}
    order by r.created_at desc, r.id desc`;
