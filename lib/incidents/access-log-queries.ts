import { z } from "zod";
import type { OperationCall } from "#lib/operation/operation.ts";
import {
  idOutput,
  limitQuery,
  pageNumberQuery,
  Pagination,
  buildPaginationFromTotal,
  timeOutput,
} from "#lib/operation/fields.ts";
import { derivePublicRecordUuid } from "#lib/crypto/record-id.ts";
import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { ACCESS_KINDS, recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { SERVICE_TOKEN_DISPLAY_NAME_PREFIX } from "#lib/operation/token-scope.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { type Actor, hasTeamAccessToEvent } from "#lib/operation/policy.ts";

/**
 * The access log of an incident: the team sees each view, the reporter only how many people read it and on which day
 * last.
 */

/** A person, or a service token: then `token` is true, and `name` is "Token: " and the token's name. */
const Person = z.object({ id: idOutput, name: z.string(), token: z.literal(true).optional() });

export const AccessLogForTeam = z.object({
  /** Newest first. */
  access: z.array(
    z.object({
      id: idOutput,
      kind: z.enum(ACCESS_KINDS),
      /** Null once the account is gone. */
      actor: Person.nullable(),
      /** Why the actor was allowed to view it, in the terms of the audit log. */
      right: z.string(),
      /** Why an original, a hidden incident or one with an unanswered conflict check was opened; otherwise null. */
      reason: z.string().nullable(),
      at: timeOutput,
    }),
  ),
  /** The people who opened the report or one of its files, and how often. Most recent reader first, at most 100. */
  readers: z.array(Person.extend({ lastAt: timeOutput, views: z.int() })),
  pagination: Pagination,
});
type AccessLogForTeam = z.input<typeof AccessLogForTeam>;

export const AccessSummaryForReporter = z.object({
  readBy: z.int(),
  /** A UTC day, deliberately no finer. */
  lastReadOn: z.string().meta({ format: "date" }).nullable(),
});

/**
 * `only=readers` leaves out the single entries. It is part of the incident's page, so it isn't recorded as a view of
 * the log.
 */
export const AccessLogQuery = z.object({
  page: pageNumberQuery,
  limit: limitQuery(50),
  kind: z.enum(ACCESS_KINDS).optional(),
  only: z.enum(["readers"]).optional(),
});
type AccessLogQuery = z.output<typeof AccessLogQuery>;

export const AccessLogOrSummaryForReporter = z.union([AccessLogForTeam, AccessSummaryForReporter]);

type AccessLogReader = IncidentWithoutContentPermissionSubject & {
  actor: Actor;
  right: string;
  call: OperationCall;
};

/** Loads the access log for the team, and records that they viewed it; loads the summary for the reporter. */
export async function loadAccessLogAndRecordView(
  reader: AccessLogReader,
  query: AccessLogQuery,
): Promise<z.input<typeof AccessLogOrSummaryForReporter>> {
  const { actor, eventId, incidentId } = reader;
  if (!hasTeamAccessToEvent(actor, eventId)) return await countReadersAndFindLastReadDay(incidentId);
  if (query.only) {
    await recordIncidentAccessByOperation(reader, { kind: "view" });
    return {
      access: [],
      readers: await listReaders(incidentId),
      pagination: buildPaginationFromTotal(query, 0),
    };
  }
  await recordIncidentAccessByOperation(reader, { kind: "log" });
  const [{ access, total }, readers] = await Promise.all([
    listAccessEntries(incidentId, query),
    listReaders(incidentId),
  ]);
  return { access, readers, pagination: buildPaginationFromTotal(query, total) };
}

type AccessLogRow = Omit<AccessLogForTeam["access"][number], "id"> & { id: string | null; total: number };

async function listAccessEntries(incidentId: string, { page, limit, kind }: AccessLogQuery) {
  const rows = await sql.$queryRaw<AccessLogRow[]>`
    with matching as (
      select * from incident_access
      where incident_id = ${incidentId}::uuid and ${kind ? Prisma.sql`kind = ${kind}` : Prisma.sql`true`}
    ), page as (
      select * from matching order by at desc, id desc limit ${limit}::bigint offset ${(page - 1) * limit}::bigint
    )
    select (select count(*)::int from matching) as total, a.id::text as id, a.kind, a.by_right as "right", a.reason, a.at,
      case when u.id is not null then json_build_object('id', u.id, 'name', u.name)
        when t.id is not null then json_build_object('id', t.id, 'name', ${SERVICE_TOKEN_DISPLAY_NAME_PREFIX} || t.name, 'token', true)
        end as actor
    from (select 1) as one left join page a on true left join users u on u.id = a.actor_id
      left join service_tokens t on t.id = a.actor_id
    order by a.at desc, a.id desc`;
  const access = rows.flatMap(({ id, kind, actor, right, reason, at }) =>
    id === null ? [] : [{ id: derivePublicRecordUuid("access", id), kind, actor, right, reason, at }],
  );
  return { access, total: rows[0]?.total ?? 0 };
}

/**
 * Opening the report, a list with its texts, a file or a file's original counts as reading; exporting it or viewing this
 * log doesn't.
 */
const IS_READ_ACCESS = Prisma.sql`a.kind in ('view', 'list', 'file', 'original')`;

type ReaderRow = Omit<AccessLogForTeam["readers"][number], "token"> & { token: boolean };

async function listReaders(incidentId: string): Promise<AccessLogForTeam["readers"]> {
  const rows = await sql.$queryRaw<ReaderRow[]>`
    select p.id, p.name, max(a.at) as "lastAt", count(*)::int as views, p.token
    from incident_access a cross join lateral (
      select u.id, u.name, false as token from users u where u.id = a.actor_id
      union all select t.id, ${SERVICE_TOKEN_DISPLAY_NAME_PREFIX} || t.name, true from service_tokens t where t.id = a.actor_id
    ) p
    where a.incident_id = ${incidentId}::uuid and ${IS_READ_ACCESS}
    group by p.id, p.name, p.token order by max(a.at) desc, p.id limit 100`;
  return rows.map(({ token, ...reader }) => (token ? { ...reader, token } : reader));
}

/**
 * Counts the people, not programs, who have read an incident, and finds the UTC day of the latest reading; deliberately
 * no finer.
 */
export async function countReadersAndFindLastReadDay(
  incidentId: string,
): Promise<z.input<typeof AccessSummaryForReporter>> {
  const [row] = await sql.$queryRaw<z.input<typeof AccessSummaryForReporter>[]>`
    select count(distinct a.actor_id)::int as "readBy",
      to_char(max(a.at) at time zone 'UTC', 'YYYY-MM-DD') as "lastReadOn"
    from incident_access a join incidents i on i.id = a.incident_id
    where a.incident_id = ${incidentId}::uuid and a.actor_id is distinct from i.reporter_id and ${IS_READ_ACCESS}
      and not exists (select 1 from service_tokens t where t.id = a.actor_id)`;
  return row ?? { readBy: 0, lastReadOn: null };
}
