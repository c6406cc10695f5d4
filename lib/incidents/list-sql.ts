import { Prisma } from "#lib/generated/prisma/client.ts";
import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import { chooseTimeZoneForEventTimes } from "#lib/design/reader-zone.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { computeFilterEnd, computeFilterStart } from "#lib/wall-clock.ts";
import { FIRST_STATE_SQL, OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import {
  getVisibleIncidentFilter,
  type VisibleIncidentFilter,
  isNoIncidentVisible,
} from "#lib/access/visibility.ts";
import { OPEN_STATES, type IncidentState, type Severity } from "#lib/incidents/schema.ts";
import { searchConditionSql } from "#lib/incidents/search-sql.ts";
import type {
  AssigneeFilter,
  SideExpectedToReply,
  DueFilter,
  IncidentListQuery,
} from "#lib/incidents/list-schema.ts";

/** SQL that lists of incidents `i` share: filters, order and pages. */

/** The position at which a page begins, if the request has a cursor (lib/incidents/cursor.ts). */
export type IncidentListPageCursorSql = {
  /** Condition: comes after the last row of the page before. `page` is then 1, so that no rows are skipped. */
  after?: Prisma.Sql | undefined;
  /** Finds one row more than the page has, and the position of its last row. */
  lookahead?: true | undefined;
};

export type IncidentListCriteria = Omit<IncidentListQuery, "priority"> &
  IncidentListPageCursorSql & { person?: Prisma.Sql; ids?: string[] };

export type ActorIncidentListCriteria = {
  actor: Actor;
  visibility: VisibleIncidentFilter;
  criteria: IncidentListCriteria;
};
/** `found`: common table expressions, one of which, `found`, holds the page's ids. `total` selects the number of matches. */
export type IncidentListPageStatements = { found: Prisma.Sql; total: Prisma.Sql };

type FilterCriteria = Omit<
  IncidentListCriteria,
  "page" | "limit" | "sort" | "order" | keyof IncidentListPageCursorSql
> &
  Partial<Pick<IncidentListQuery, "priority">>;

/** The condition on an incident `i` that the actor may see it and that it matches the filters. */
export const visibleMatchingIncidentConditionSql = (
  actor: Actor,
  visibility: VisibleIncidentFilter,
  { priority, ...criteria }: FilterCriteria,
): Prisma.Sql =>
  isNoIncidentVisible(visibility)
    ? Prisma.sql`false`
    : Prisma.sql`${incidentVisibilityConditionSql(visibility, actor)} and ${incidentFilterConditionsSql(actor, { ...criteria, severity: criteria.severity ?? priority })}`;

type FilterName = Exclude<keyof FilterCriteria, "priority">;

/** The condition on incident `i` of each filter. */
const FILTER_CONDITIONS: {
  [Name in FilterName]-?: (value: NonNullable<FilterCriteria[Name]>, actor: Actor) => Prisma.Sql;
} = {
  status: stateConditionSql,
  severity: severityConditionSql,
  assigned: (assigned, actor) => assigneeFilterSql(actor, assigned),
  reporter: (people) => Prisma.sql`i.reporter_id = any(${people}::uuid[])`,
  ids: (ids) => Prisma.sql`i.id = any(${ids}::uuid[])`,
  from: (from, actor) =>
    Prisma.sql`i.created_at >= ${filterTimeSql(actor, (zone) => computeFilterStart(from, zone))}`,
  to: (to, actor) => Prisma.sql`i.created_at < ${filterTimeSql(actor, (zone) => computeFilterEnd(to, zone))}`,
  anonymous: (wanted) => negateUnlessSql(wanted, Prisma.sql`i.reporter_id is null`),
  escalated: (wanted) => negateUnlessSql(wanted, Prisma.sql`i.escalated_at is not null`),
  files: (wanted, actor) => negateUnlessSql(wanted, hasFilesSql(actor)),
  pinned: (wanted, actor) => negateUnlessSql(wanted, hasPinSql(actor)),
  due: (due) => anyOfSql(due.map((when) => DUE_FILTER_CONDITIONS_SQL[when])),
  awaiting: (sides) => anyOfSql(sides.map((side) => SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL[side])),
  needsUs: (wanted) => negateUnlessSql(wanted, NEEDS_US_SQL),
  person: (condition) => condition,
  search: searchConditionSql,
};

function incidentFilterConditionsSql(actor: Actor, criteria: FilterCriteria): Prisma.Sql {
  const parts = Object.entries(FILTER_CONDITIONS).flatMap(([name, toCondition]) => {
    const value = criteria[name as FilterName];
    return value === undefined || (typeof value === "string" && value.trim() === "")
      ? []
      : [toCondition(value as never, actor)];
  });
  return Prisma.join([Prisma.sql`true`, ...parts], " and ");
}

/**
 * The time with which incidents `i` are compared. A day begins at another moment in another zone, and rows show times
 * in the zone of their event unless the reader has chosen one.
 */
function filterTimeSql(actor: Actor, timeIn: (zone: string) => Date): Prisma.Sql {
  const timeOf = (eventZone?: string | null) =>
    timeIn(chooseTimeZoneForEventTimes(actor, eventZone)).toISOString();
  const elsewhere = timeOf();
  const others = actor.events
    .map(({ eventId, timeZone }) => ({ eventId, at: timeOf(timeZone) }))
    .filter(({ at }) => at !== elsewhere);
  if (others.length === 0) return Prisma.sql`${elsewhere}::timestamptz`;
  const [ids, times] = [others.map(({ eventId }) => eventId), others.map(({ at }) => at)];
  return Prisma.sql`coalesce((select z.at from unnest(${ids}::uuid[], ${times}::timestamptz[]) z(event_id, at)
    where z.event_id = i.event_id limit 1), ${elsewhere}::timestamptz)`;
}

const negateUnlessSql = (isWanted: boolean, condition: Prisma.Sql) =>
  isWanted ? condition : Prisma.sql`(${condition}) is not true`;

/** Open states are written as in the partial indexes' condition; otherwise the planner wouldn't use them. */
function stateConditionSql(states: readonly IncidentState[]): Prisma.Sql {
  if (states.length === OPEN_STATES.length && OPEN_STATES.every((state) => states.includes(state)))
    return IS_OPEN_SQL;
  const [first] = states;
  return states.length === 1
    ? Prisma.sql`i.state = ${first}::incident_state`
    : Prisma.sql`i.state = any(${[...states]}::incident_state[])`;
}

/** The states are literals, since the planner uses the partial index of open incidents only then. */
export const IS_OPEN_SQL = Prisma.sql`i.state in ${OPEN_STATES_SQL}`;

/** `soon` is within a day. */
export const DUE_FILTER_CONDITIONS_SQL: Record<DueFilter, Prisma.Sql> = {
  overdue: Prisma.sql`i.due_at < now()`,
  soon: Prisma.sql`(i.due_at >= now() and i.due_at < now() + interval '1 day')`,
  later: Prisma.sql`i.due_at >= now() + interval '1 day'`,
};

const openAndReachableConditionSql = (condition: Prisma.Sql) =>
  Prisma.sql`(${IS_OPEN_SQL} and ${condition} and (i.reporter_id is not null or i.has_mailbox))`;

/**
 * Incidents that wait for a message from the side, where the reporter can reply: for the reporter if the team chose so
 * with its last message, for the team if the reporter wrote last, also since it was resolved or closed (contract 8.4).
 */
export const SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL: Record<SideExpectedToReply, Prisma.Sql> = {
  reporter: openAndReachableConditionSql(Prisma.sql`i.awaits_reporter`),
  team: Prisma.sql`(${openAndReachableConditionSql(Prisma.sql`i.last_message_from = 'reporter'`)} or i.message_after_closing)`,
};

/**
 * What the team has to do next: submitted reports, those that await the team, and those whose deadline has passed. The index
 * incidents_needs_us has the same expression, from when on a report needs the team (contract 7.12).
 */
export const NEEDS_US_SQL = Prisma.sql`case when ${IS_OPEN_SQL} then case when i.state = ${FIRST_STATE_SQL}
    or i.last_message_from = 'reporter' and (i.reporter_id is not null or i.has_mailbox) then '-infinity' else i.due_at end
  when i.message_after_closing then '-infinity' end <= now()`;

function severityConditionSql(severities: readonly (Severity | "none")[]): Prisma.Sql {
  const named = severities.filter((severity) => severity !== "none");
  const parts = [
    ...(named.length > 0 ? [Prisma.sql`i.severity = any(${named}::severity[])`] : []),
    ...(named.length < severities.length ? [Prisma.sql`i.severity is null`] : []),
  ];
  return anyOfSql(parts);
}

function assigneeFilterSql(actor: Actor, assigned: readonly AssigneeFilter[]): Prisma.Sql {
  const groups: Record<string, Prisma.Sql> = {
    unassigned: Prisma.sql`i.assigned_responder_id is null`,
    others: Prisma.sql`i.assigned_responder_id <> ${actor.id}::uuid`,
  };
  const people = assigned.filter((one) => !(one in groups)).map((one) => (one === "me" ? actor.id : one));
  return anyOfSql([
    ...assigned.flatMap((one) => groups[one] ?? []),
    ...(people.length > 0 ? [assignedToSql(people)] : []),
  ]);
}

const assignedToSql = (people: readonly string[]) =>
  people.length === 1
    ? Prisma.sql`i.assigned_responder_id = ${people[0]}::uuid`
    : Prisma.sql`i.assigned_responder_id = any(${[...people]}::uuid[])`;

const anyOfSql = (parts: Prisma.Sql[]) => Prisma.sql`(${Prisma.join(parts, " or ")})`;

/** A reporter must not learn of the team's own files. */
function hasFilesSql(actor: Actor): Prisma.Sql {
  const visibility = getVisibleIncidentFilter(actor);
  const teams = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`f.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`exists (select 1 from related_files f where f.incident_id = i.id and f.conversation_id is null
    and (f.visible_to_reporter or f.uploaded_by_id = ${actor.id}::uuid or ${teams}))`;
}

const hasPinSql = (actor: Actor) =>
  Prisma.sql`i.id in (select p.incident_id from pins p where p.user_id = ${actor.id}::uuid)`;

/**
 * The first key of sort=urgency: urgent ones, other open ones, each by severity, then finished ones. The index
 * incidents_urgency has the same expression (docs/decisions/042).
 */
export const URGENCY_RANK_SQL = Prisma.raw(
  `case when ${IS_OPEN_SQL.sql} then case when i.urgent then 0 else 5 end
    + case i.severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 else 4 end else 10 end`,
);

/** Sorts titles by a collation of no particular language, with accented and capital letters next to the plain ones. */
export const TITLE_ORDER_SQL = Prisma.raw("i.title collate title_order");

/**
 * The `order by` terms of a list. sort=status follows the workflow, since the state's enum is in that order (contract
 * 7.12).
 */
export function orderBySql(criteria: Pick<IncidentListCriteria, "sort" | "order">): Prisma.Sql {
  const way = sortDirectionSql(criteria);
  if (criteria.sort === "title") return Prisma.sql`${TITLE_ORDER_SQL} ${way}, i.id ${way}`;
  if (criteria.sort === "status") return Prisma.sql`i.state ${way}, i.created_at desc, i.id desc`;
  if (criteria.sort === "due") return Prisma.sql`i.due_at ${way} nulls last, i.created_at desc, i.id desc`;
  if (criteria.sort === "severity")
    return Prisma.sql`i.severity ${way} nulls last, i.created_at desc, i.id desc`;
  if (criteria.sort === "urgency") return urgencyOrderSql(criteria.order === "desc");
  return Prisma.sql`i.created_at ${way}, i.id ${way}`;
}

/** Both directions can read the index in order. */
const urgencyOrderSql = (mostUrgentFirst: boolean) =>
  mostUrgentFirst
    ? Prisma.sql`${URGENCY_RANK_SQL}, i.due_at, i.created_at desc, i.id desc`
    : Prisma.sql`${URGENCY_RANK_SQL} desc, i.due_at desc, i.created_at, i.id`;

/** Incidents with the columns that an order compares, to select from in place of the table. */
export const sortableIncidentsSql = (
  criteria: Pick<IncidentListCriteria, "sort">,
  condition: Prisma.Sql,
): Prisma.Sql => Prisma.sql`(select ${sortColumnsSql(criteria)} from incidents i where ${condition})`;

/** The columns of an incident `i` that an order compares. */
export const sortColumnsSql = ({ sort }: Pick<IncidentListCriteria, "sort">): Prisma.Sql => {
  const columns: Partial<Record<IncidentListCriteria["sort"], Prisma.Sql>> = {
    title: Prisma.sql`, i.title`,
    due: Prisma.sql`, i.due_at`,
    severity: Prisma.sql`, i.severity`,
    urgency: Prisma.sql`, i.severity, i.due_at, i.urgent`,
  };
  return Prisma.sql`i.id, i.state, i.created_at${columns[sort] ?? Prisma.empty}`;
};

const sortDirectionSql = ({ order }: Pick<IncidentListCriteria, "order">) =>
  order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;

/** Selects the ids of one page, in order. */
export const incidentIdsOfPageSql = (criteria: IncidentListCriteria, source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select i.id from ${source} order by ${orderBySql(criteria)}
    limit ${limitAndOffsetSql(criteria)}`;

/** A prepared plan for a number in a parameter expects a tenth of all rows, and sorts them; so the usual limits are text. */
const limitAndOffsetSql = (criteria: IncidentListCriteria): Prisma.Sql =>
  hasUsualPage(criteria)
    ? Prisma.raw(String(computeRowLimitWithLookahead(criteria)))
    : Prisma.sql`${computeRowLimitWithLookahead(criteria)}::bigint offset ${computeOffset(criteria)}::bigint`;

const USUAL_LIMITS = [10, 20, 25, 50, 100];

/** Returns whether the page is a first one of a usual size, for which the database prepares plans; it makes others a plan of their own. */
export const hasUsualPage = ({ page, limit }: Pick<IncidentListCriteria, "page" | "limit">): boolean =>
  page === 1 && USUAL_LIMITS.includes(limit);

/** The condition, preceded by ` and `, that a row comes after the cursor; empty without a cursor. */
export const andAfterCursorSql = ({ after }: IncidentListCriteria): Prisma.Sql =>
  after ? Prisma.sql`and ${after}` : Prisma.empty;

const computeRowLimitWithLookahead = ({ limit, lookahead }: IncidentListCriteria): number =>
  limit + (lookahead ? 1 : 0);

export const computeOffset = ({ page, limit }: IncidentListCriteria): number => (page - 1) * limit;

/** Up to this offset, a page is read from the index in order; beyond it, all matches are sorted. */
export const MAX_INDEXED_OFFSET = 2000;

export const computeRowLimitUpToPageEnd = (criteria: IncidentListCriteria): number =>
  computeOffset(criteria) + computeRowLimitWithLookahead(criteria);
