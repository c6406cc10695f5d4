import { listStoredActionNames } from "#lib/audit/actions.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { SERVICE_TOKEN_DISPLAY_NAME_PREFIX } from "#lib/operation/token-scope.ts";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import type { Reader } from "#lib/access/readers-sql.ts";
import {
  AUDITED_INCIDENT_SQL,
  auditEntryNotHiddenSql,
  auditEntryWithoutUnopenedIncidentSql,
} from "#lib/audit/hidden-entries-sql.ts";
import { MAX_COUNTED_AUDIT_ENTRIES, type AuditEntryRecord, type AuditLogQuery } from "#lib/audit/schema.ts";
import { REPORTER_ROLES_SQL } from "#lib/access/policy-sql.ts";

/**
 * A log: the chain of an organization or of the system, or the entries of one event in a chain. If `reportersIn` is
 * given, the reader may learn who reported in these events only (contract 12.4).
 */
export type AuditLogReadScope = {
  chain: string;
  eventId?: string;
  reportersIn?: readonly string[];
  /** Incidents of which the reader sees no entry. */
  hidden: readonly string[];
  /**
   * The reader, who learns the reporter of an incident only after answering its conflict check, and of a deleted one under
   * the check not at all. Null for a reader who can't answer.
   */
  reader: Reader;
};
/** `from` and `to` are inclusive. */
export type AuditFilter = Pick<AuditLogQuery, "actor" | "action" | "objectType"> & {
  from?: Date | undefined;
  to?: Date | undefined;
};
type AuditEntryPage = {
  entries: AuditEntryRecord[];
  total: number;
  atLeast: boolean;
  next: number | null;
};

/** Lists a page of a log, newest first. */
export async function listAuditEntries(
  asked: AuditLogReadScope,
  query: AuditFilter & Pick<AuditLogQuery, "before" | "page" | "limit">,
): Promise<AuditEntryPage> {
  const { head, log } = await readHeadAndHiddenIncidents(asked);
  const resolved = await resolveAuditFilterToSeqsAndActions(log, query);
  const filter = { ...resolved, beyond: Math.min(resolved.beyond ?? Infinity, head + 1) };
  const isWholeLog = isUnfiltered(log, query);
  const isWholeChain = isWholeLog && log.hidden.length === 0;
  const skippedCount = query.before ? 0 : (query.page - 1) * query.limit;
  // A whole chain has no gaps in its numbers, so the first entry of a page can be computed.
  const position = isWholeChain
    ? { before: query.before ?? head - skippedCount + 1, offset: 0 }
    : { before: query.before ?? head + 1, offset: skippedCount };
  const [result, total] = await Promise.all([
    listAuditEntriesBefore(log, filter, { ...position, limit: query.limit + 1 }),
    isWholeLog ? head - (await countHiddenEntries(log, head)) : countMatchingEntries(log, filter),
  ]);
  const entries = result.slice(0, query.limit);
  return {
    entries,
    total: isWholeLog ? total : Math.min(total, MAX_COUNTED_AUDIT_ENTRIES),
    atLeast: !isWholeLog && total > MAX_COUNTED_AUDIT_ENTRIES,
    next: result.length > query.limit ? (entries.at(-1)?.seq ?? null) : null,
  };
}

/**
 * Checks that a log exists, and returns whether its organization does, too (`living`). A deleted organization's log
 * stays; the system's log always counts as living.
 * @throws AppError NOT_FOUND
 */
export async function requireExistingAuditLog(chain: string): Promise<{ living: boolean }> {
  if (chain === "system") return { living: true };
  const [organizations, chains] = await Promise.all([
    prisma.organization.count({ where: { id: chain } }),
    prisma.auditChain.count({ where: { chain } }),
  ]);
  if (organizations + chains === 0) throw createNotFoundError("log");
  return { living: organizations > 0 };
}

/** Returns the number of the newest entry; 0 in an empty chain. */
async function findHeadSeq(chain: string): Promise<number> {
  const head = await prisma.auditChain.findUnique({ where: { chain }, select: { seq: true } });
  return Number(head?.seq ?? 0);
}

const isUnfiltered = (
  log: AuditLogReadScope,
  { actor, action, objectType, from, to }: AuditFilter,
): boolean => (log.eventId ?? actor ?? action ?? objectType ?? from ?? to) === undefined;

/**
 * A filter in terms of the indexes: its times as entry numbers (`least` inclusive, `beyond` exclusive), and its
 * action, prefix or object type as the matching actions in the chain; null means no restriction.
 */
type ResolvedFilter = AuditFilter & { least: number | null; beyond: number | null; actions: string[] | null };

// Clocks are sometimes set back; entries that are out of order by less than this are still found.
const CLOCK_SLACK_MS = 3600_000;

/**
 * Converts a filter's times to entry numbers of the chain, and its action or object type to the chain's matching
 * actions.
 */
export async function resolveAuditFilterToSeqsAndActions(
  { chain }: AuditLogReadScope,
  filter: AuditFilter,
): Promise<ResolvedFilter> {
  const { from, to, action, objectType } = filter;
  const [least, beyond, actions] = await Promise.all([
    from ? findBoundsOfFirstAuditSeqSince(chain, new Date(from.getTime() - CLOCK_SLACK_MS)) : null,
    to ? findBoundsOfFirstAuditSeqSince(chain, new Date(to.getTime() + CLOCK_SLACK_MS)) : null,
    action || objectType ? listMatchingActions(chain, filter) : null,
  ]);
  return { ...filter, least: least?.lo ?? null, beyond: beyond?.hi ?? null, actions };
}

/**
 * Lists the actions of a chain that match a filter by skipping through the index, one step per distinct action. An
 * action always has one object type; in case that ever changes, both its oldest and its newest entry are checked.
 */
async function listMatchingActions(chain: string, { action, objectType }: AuditFilter): Promise<string[]> {
  if (action && !action.endsWith(".") && !objectType) return listStoredActionNames(action);
  type KnownAction = { action: string; kinds: (string | null)[] };
  const known = await sql.$queryRaw<KnownAction[]>`
    with recursive known(action) as (
      (select action from audit_entries where chain = ${chain} order by action limit 1)
      union all
      select (select n.action from audit_entries n where n.chain = ${chain} and n.action > k.action order by n.action limit 1)
      from known k where k.action is not null
    )
    select k.action, array[
      (select e.object_type from audit_entries e where e.chain = ${chain} and e.action = k.action order by e.seq limit 1),
      (select e.object_type from audit_entries e where e.chain = ${chain} and e.action = k.action order by e.seq desc limit 1)
    ] as kinds
    from known k where k.action is not null`;
  const matchesName = (name: string) =>
    action?.endsWith(".") ? name.startsWith(action) : listStoredActionNames(action ?? name).includes(name);
  const matchesFilter = ({ action: name, kinds }: KnownAction) =>
    matchesName(name) && (!objectType || kinds.includes(objectType));
  return known.filter(matchesFilter).map((one) => one.action);
}

/**
 * Finds the first entry at or after a time by binary search: about twenty lookups in a million entries. Where an
 * entry was deleted, the search ends early with bounds that are wide but correct.
 */
export async function findBoundsOfFirstAuditSeqSince(
  chain: string,
  time: Date,
): Promise<{ lo: number; hi: number }> {
  const [result] = await sql.$queryRaw<{ lo: bigint; hi: bigint }[]>`
    with recursive halving(lo, hi) as (
      select 1::bigint, seq + 1 from audit_chains where chain = ${chain}
      union all
      select case when e.at < ${time}::timestamptz then e.seq + 1 else h.lo end,
        case when e.at < ${time}::timestamptz then h.hi else e.seq end
      from halving h join audit_entries e on e.chain = ${chain} and e.seq = (h.lo + h.hi) / 2
      where h.lo < h.hi
    )
    select lo, hi from halving order by hi - lo limit 1`;
  return { lo: Number(result?.lo ?? 1), hi: Number(result?.hi ?? 1) };
}

type PagePosition = { before: number; limit: number; offset?: number };

/** Lists entries below a number, newest first. */
export async function listAuditEntriesBefore(
  log: AuditLogReadScope,
  filter: ResolvedFilter,
  position: PagePosition,
): Promise<AuditEntryWithHash[]> {
  const below = Prisma.sql`e.seq < ${position.before}::bigint`;
  const cut = Prisma.sql`limit ${position.limit}::bigint offset ${position.offset ?? 0}::bigint`;
  const rows = await sql.$queryRaw<Row[]>`
    with found as materialized (${pageSeqsSql(log, filter, { below, cut, ...position })})
    select e.seq, e.at, e.actor_id as "actorId", coalesce(u.name, ${SERVICE_TOKEN_DISPLAY_NAME_PREFIX} || s.name) as "actorName", s.id is not null as "isToken",
      coalesce(not ${isEmailVerifiedIfRequiredSql()}, false) as "isUnconfirmed", e.action, e.object_type as "objectType",
      e.object_id as "objectId", e.event_id as "eventId", e.by_right as "right", e.request_id as "requestId", e.data,
      (select i.id from incidents i where i.id = ${AUDITED_INCIDENT_SQL}) as "incidentId",
      e.mac as hash, ${revealsReporterSql(log)} as "revealsReporter"
    from found f join audit_entries e on e.chain = ${log.chain} and e.seq = f.seq left join users u on u.id = e.actor_id
      left join service_tokens s on s.id = e.actor_id
    order by e.seq desc`;
  return rows.map(toHashedEntry);
}

/** `hash` is the MAC of the entry, by which SystemAdmins compare it with heads that were kept elsewhere. */
type AuditEntryWithHash = AuditEntryRecord & { hash: string };

type Row = Omit<AuditEntryWithHash, "seq" | "actor"> & {
  seq: bigint;
  actorId: string | null;
  actorName: string | null;
  isToken: boolean;
  isUnconfirmed: boolean;
  revealsReporter: boolean;
};

const toHashedEntry = ({
  seq,
  actorId,
  actorName,
  isToken,
  isUnconfirmed,
  revealsReporter,
  ...entry
}: Row): AuditEntryWithHash => ({
  ...(revealsReporter ? withoutReporter(entry, actorId) : entry),
  seq: Number(seq),
  actor:
    actorId === null || revealsReporter
      ? null
      : {
          id: actorId,
          name: actorName,
          ...(isToken && { token: true as const }),
          ...(actorName !== null && !isToken && isUnconfirmed && { unconfirmed: true as const }),
        },
});

/** The right of each entry that would reveal a reporter: the actual right, such as a role, can single out a person. */
const HIDDEN_REPORTER_RIGHT = "reporter";

/**
 * Leaves out of an entry what can tell who reported: the request, the right, the roles that they accepted, and their id
 * where they are the object of their own entry. `personId` is null for a report that names nobody.
 */
const withoutReporter = <Entry extends Pick<Row, "objectId" | "right" | "requestId" | "data">>(
  entry: Entry,
  personId: string | null,
): Entry => ({
  ...entry,
  objectId: personId !== null && entry.objectId === personId ? null : entry.objectId,
  right: HIDDEN_REPORTER_RIGHT,
  requestId: null,
  data: Object.fromEntries(
    Object.entries(entry.data).filter(
      ([name, value]) => name !== "roles" && (personId === null || value !== personId),
    ),
  ),
});

type PageClauses = PagePosition & { below: Prisma.Sql; cut: Prisma.Sql };

/**
 * Selects the entry numbers of one page from the index that fits the filter, so that the cost doesn't grow with the
 * log: by actor and time; by each matching action; or by event, or chain, and number.
 */
function pageSeqsSql(
  log: AuditLogReadScope,
  filter: ResolvedFilter,
  { below, cut, before, limit, offset = 0 }: PageClauses,
): Prisma.Sql {
  const where = Prisma.sql`${filterConditionsSql(log, filter)} and ${below}`;
  if (filter.actor) {
    const above = notAfterSeqSql(log.chain, before);
    return Prisma.sql`select e.seq from audit_entries e where ${where} and ${above} order by e.at desc, e.seq desc ${cut}`;
  }
  if (filter.actions && !log.eventId) {
    return Prisma.sql`
      select newest.seq from unnest(${filter.actions}::text[]) as one(action) cross join lateral (
        select e.seq from audit_entries e where e.action = one.action and ${where}
        order by e.seq desc limit ${limit + offset}::bigint
      ) newest order by newest.seq desc ${cut}`;
  }
  return Prisma.sql`select e.seq from audit_entries e where ${where} order by e.seq desc ${cut}`;
}

/** Lets the scan of the index by time start where the previous page ended. */
const notAfterSeqSql = (chain: string, before: number) => Prisma.sql`
  e.at <= coalesce((select b.at + interval '1 hour' from audit_entries b where b.chain = ${chain} and b.seq = ${before}::bigint), 'infinity')`;

/** The conditions that an entry `e` belongs to the log, as its reader sees it. */
function logConditionsSql({ chain, eventId, hidden }: AuditLogReadScope): Prisma.Sql {
  const isEvents = eventId ? Prisma.sql`e.event_id = ${eventId}::uuid` : Prisma.sql`true`;
  return Prisma.sql`e.chain = ${chain} and ${isEvents} and ${auditEntryNotHiddenSql(hidden)}`;
}

function filterConditionsSql(log: AuditLogReadScope, filter: ResolvedFilter): Prisma.Sql {
  const parts = [logConditionsSql(log)];
  if (filter.actor)
    parts.push(Prisma.sql`e.actor_id = ${filter.actor}::uuid and not ${revealsReporterSql(log)}`);
  if (filter.actions) parts.push(Prisma.sql`e.action = any(${filter.actions}::text[])`);
  if (filter.objectType) parts.push(Prisma.sql`e.object_type = ${filter.objectType}`);
  if (filter.least !== null) parts.push(Prisma.sql`e.seq >= ${filter.least}::bigint`);
  if (filter.beyond !== null) parts.push(Prisma.sql`e.seq < ${filter.beyond}::bigint`);
  if (filter.from) parts.push(Prisma.sql`e.at >= ${filter.from}::timestamptz`);
  if (filter.to) parts.push(Prisma.sql`e.at <= ${filter.to}::timestamptz`);
  return Prisma.join(parts, " and ");
}

/** Counts the entries of a chain that its reader doesn't see, so that the total of the rest is exact for everybody. */
async function countHiddenEntries({ chain, hidden }: AuditLogReadScope, head: number): Promise<number> {
  if (hidden.length === 0) return 0;
  return countEntries(
    Prisma.sql`e.chain = ${chain} and e.seq <= ${head}::bigint and not ${auditEntryNotHiddenSql(hidden)}`,
  );
}

async function countEntries(condition: Prisma.Sql, max: number | null = null): Promise<number> {
  const [counted] = await sql.$queryRaw<{ total: number }[]>`
    select count(*)::int as total from (
      select 1 from audit_entries e where ${condition} limit ${max}::bigint
    ) matching`;
  return counted?.total ?? 0;
}

/**
 * Returns the number of the newest entry, and then the log without entries of hidden incidents. An entry is committed
 * together with what hides its incident, so nothing is missing for entries up to that number.
 */
export async function readHeadAndHiddenIncidents<Log extends AuditLogReadScope>(
  log: Log,
): Promise<{ head: number; log: Log }> {
  const head = await findHeadSeq(log.chain);
  return { head, log: await refreshHiddenIncidents(log) };
}

/**
 * Returns the log without entries of incidents that were hidden from its reader since they began to read it. What was hidden
 * before stays so: rows of incidents that were deleted since don't say from whom else.
 */
export async function refreshHiddenIncidents<Log extends AuditLogReadScope>(log: Log): Promise<Log> {
  const hidden = log.reader ? await listHiddenIncidentIds(log.reader) : [];
  return { ...log, hidden: [...new Set([...log.hidden, ...hidden])] };
}

/** Returns which of these incidents have or had a list or are hidden from somebody, so that entries about them go to the system's log. */
export async function filterRestrictedIncidentIds(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select r.id from unnest(${[...incidentIds]}::uuid[]) as r(id) where is_incident_restricted(r.id)`;
  return rows.map(({ id }) => id);
}

/** Counts matching entries, up to one more than `MAX_COUNTED_AUDIT_ENTRIES`. */
const countMatchingEntries = (log: AuditLogReadScope, filter: ResolvedFilter): Promise<number> =>
  countEntries(filterConditionsSql(log, filter), MAX_COUNTED_AUDIT_ENTRIES + 1);

/** Counts the entries of a chain that belong to an event. */
export const countEventAuditEntries = (log: AuditLogReadScope & { eventId: string }): Promise<number> =>
  countEntries(logConditionsSql(log));

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
const revealsReporterSql = ({ reportersIn, reader }: AuditLogReader): Prisma.Sql =>
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
