import { Prisma } from "#lib/generated/prisma/client.ts";
import { orderBySql, TITLE_ORDER_SQL, URGENCY_RANK_SQL } from "#lib/incidents/list-sql.ts";
import type { IncidentListQuery } from "#lib/incidents/list-schema.ts";

/** SQL of positions in a list of incidents `i`: what its order compares, and what comes after or before. */

type SortOrder = Pick<IncidentListQuery, "sort" | "order">;

type SortKeyName =
  | "created_at"
  | "id"
  | "title"
  | "state"
  | "due_at"
  | "has_no_severity"
  | "severity"
  | "urgency";

/** A column that a list is ordered by. The last key of an order is unique. */
export type IncidentSortKeySql = { name: SortKeyName; value: Prisma.Sql; up: boolean };

/** The keys of an incident `i` of `sortableIncidentsSql` or of the table. */
export function buildIncidentSortKeysSql({ sort, order }: SortOrder): IncidentSortKeySql[] {
  const isAscending = order === "asc";
  const key = (name: SortKeyName, value: Prisma.Sql, ascending = isAscending): IncidentSortKeySql => ({
    name,
    value,
    up: ascending,
  });
  const newestFirstKeys = (ascending: boolean) => [
    key("created_at", Prisma.sql`i.created_at`, ascending),
    key("id", Prisma.sql`i.id`, ascending),
  ];
  switch (sort) {
    case "title":
      return [key("title", TITLE_ORDER_SQL), key("id", Prisma.sql`i.id`)];
    case "status":
      return [key("state", Prisma.sql`i.state`), ...newestFirstKeys(false)];
    case "due":
      // Incidents without a due time come last in either direction.
      return [
        key("due_at", Prisma.sql`coalesce(i.due_at, ${isAscending ? "infinity" : "-infinity"}::timestamptz)`),
        ...newestFirstKeys(false),
      ];
    case "severity":
      // Incidents without a severity come last in either direction.
      return [
        key("has_no_severity", Prisma.sql`(i.severity is null)`, true),
        key("severity", Prisma.sql`coalesce(i.severity, 'low')`),
        ...newestFirstKeys(false),
      ];
    case "urgency":
      return [
        key("urgency", URGENCY_RANK_SQL, !isAscending),
        key("due_at", Prisma.sql`coalesce(i.due_at, 'infinity')`, !isAscending),
        ...newestFirstKeys(isAscending),
      ];
    default:
      return newestFirstKeys(isAscending);
  }
}

/**
 * Selects what comes after or before the position whose values `currentSql` gives. The first key also bounds the
 * whole condition, so that an index can serve it.
 */
export function keysetConditionSql(
  keys: readonly IncidentSortKeySql[],
  { side, currentSql }: { side: "after" | "before"; currentSql: (key: IncidentSortKeySql) => Prisma.Sql },
): Prisma.Sql {
  const comparisonSql = ({ up: isAscending }: IncidentSortKeySql) =>
    Prisma.raw(isAscending === (side === "after") ? ">" : "<");
  const [first] = keys as [IncidentSortKeySql];
  const alternatives = keys.map((key, at) => {
    const equalities = keys.slice(0, at).map((one) => Prisma.sql`${one.value} = ${currentSql(one)}`);
    return Prisma.join(
      [...equalities, Prisma.sql`${key.value} ${comparisonSql(key)} ${currentSql(key)}`],
      " and ",
    );
  });
  return Prisma.sql`${first.value} ${comparisonSql(first)}= ${currentSql(first)} and (${Prisma.join(alternatives, " or ")})`;
}

export const orderBySortKeysSql = (keys: readonly IncidentSortKeySql[], side: "after" | "before") =>
  Prisma.join(
    keys.map(
      ({ value, up: isAscending }) =>
        Prisma.sql`${value} ${Prisma.raw(isAscending === (side === "after") ? "asc" : "desc")}`,
    ),
  );

const KEY_TYPES: Record<SortKeyName, string> = {
  created_at: "timestamptz",
  id: "uuid",
  title: "text",
  state: "incident_state",
  due_at: "timestamptz",
  has_no_severity: "boolean",
  severity: "severity",
  urgency: "int",
};

/** The values of an incident's keys as texts, for a cursor. */
const keyTextsSql = (keys: readonly IncidentSortKeySql[]): Prisma.Sql =>
  Prisma.sql`json_build_array(${Prisma.join(keys.map(({ value }) => Prisma.sql`(${value})::text`))})`;

/** Condition: comes after the incident whose keys had these texts. */
export const afterSortKeysSql = (keys: readonly IncidentSortKeySql[], texts: readonly string[]): Prisma.Sql =>
  keysetConditionSql(keys, {
    side: "after",
    currentSql: (key) => Prisma.sql`${texts[keys.indexOf(key)]}::${Prisma.raw(KEY_TYPES[key.name])}`,
  });

/** The position of the page's last incident, if another one follows it. */
export const buildNextPageCursorSortKeysSql = (
  criteria: SortOrder & { limit: number },
): Prisma.Sql => Prisma.sql`(
  case when (select count(*) from found) > ${criteria.limit}::bigint then (
    select ${keyTextsSql(buildIncidentSortKeysSql(criteria))} from found join incidents i on i.id = found.id
    order by ${orderBySql(criteria)} limit 1 offset ${criteria.limit - 1}::bigint
  ) end)`;
