import { REPORTER_ROLES_SQL } from "#lib/access/policy-sql.ts";
import type { Reader } from "#lib/access/readers-sql.ts";
import { auditEntryWithoutUnopenedIncidentSql } from "#lib/audit/hidden-entries-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

type AuditLogReader = {
  /** The events in which the reader may learn who reported; undefined if there is no limit (contract 12.4). */
  reportersIn?: readonly string[];
  /** Null for a reader who can't answer a conflict check. */
  reader: Reader;
};

/**
 * The condition that an audit entry `e` reveals who reported something, or of an unopened incident that nobody did by
 * name, to a reader who must not know it.
 */
export const revealsReporterSql = ({ reportersIn, reader }: AuditLogReader): Prisma.Sql =>
  reportersIn === undefined
    ? isReporterOfUnopenedSql(reader)
    : Prisma.sql`(coalesce(e.event_id <> all(${[...reportersIn]}::uuid[]), false) and ${MAY_NAME_REPORTER_SQL}
        or ${isReporterOfUnopenedSql(reader)})`;

/**
 * The entry is by the reporter of an incident that the reader hasn't opened, or that was deleted under the check, whether
 * the report names them or not.
 */
const isReporterOfUnopenedSql = (reader: Reader): Prisma.Sql => Prisma.sql`(
  e.by_reporter and not ${auditEntryWithoutUnopenedIncidentSql(reader)})`;

/**
 * The entry names somebody and is about a report of their own, about a role that they took, which can happen in the
 * same request, or about one as an attendee that they took or gave up.
 */
const MAY_NAME_REPORTER_SQL = Prisma.sql`e.actor_id is not null and coalesce(
  e.action in ('incident.create', 'event.join', 'eventUser.acceptInvitation')
  or e.by_right like 'event:Reporter%' or e.by_right like '%(own)'
  or e.action = 'invite.use' and e.data ->> 'role' in ${REPORTER_ROLES_SQL}
  or e.action = 'eventUser.leave' and (e.data -> 'roles')::jsonb = '["Reporter"]', true)`;
