import { randomUUID } from "node:crypto";
import type { VisibleIncidentFilter } from "#lib/access/visibility.ts";
import { buildIncidentPageStatements, selectPageSql } from "#lib/incidents/list-page-sql.ts";
import type { IncidentListCriteria } from "#lib/incidents/list-sql.ts";
import { INCIDENT_ROW_JSON_SQL } from "#lib/incidents/json-sql.ts";
import { afterSortKeysSql, buildIncidentSortKeysSql } from "#lib/incidents/sort-keys-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * The statements of incident lists, built with sample inputs: every order, with and without a cursor, for each kind of
 * page. From the source alone only some of their combinations can be told (evaluate.ts).
 */

const SORTS = ["createdAt", "due", "severity", "status", "title", "urgency"] as const;
const EVENT = randomUUID();

const actor: Actor = {
  id: randomUUID(),
  email: "maya@example.org",
  name: "Maya Castillo",
  avatarUrl: null,
  sessionId: "session",
  systemAdmin: false,
  organizations: [],
  events: [],
};

/** All incidents, those of few and of many events, and one's own. */
const VISIBILITIES: VisibleIncidentFilter[] = [
  { everything: true },
  { everything: false, all: [EVENT], own: [] },
  { everything: false, all: Array.from({ length: 20 }, () => EVENT), own: [] },
  { everything: false, all: [EVENT], own: [EVENT] },
];

/** Filters that the counters can give a total for, and others. */
const FILTERS: Partial<IncidentListCriteria>[] = [
  {},
  { status: ["submitted"] },
  { status: ["submitted", "closed"] },
  { severity: ["high", "none"], assigned: ["me", randomUUID(), "unassigned"] },
];

/** Matches the location, "file:line", of a template that the samples are made of. */
export const SAMPLED_LOCATION_PATTERN = /^lib\/incidents\/(list|list-page)-sql\.ts:/;

/** Lists the texts, with the inputs that lead to each. */
export const listSampleTexts = (): { inputs: string; text: string }[] =>
  SORTS.flatMap((sort) =>
    (["asc", "desc"] as const).flatMap((order) =>
      [false, true].flatMap((hasCursor) =>
        VISIBILITIES.flatMap((visibility) =>
          FILTERS.map((filter) => {
            const criteria = buildCriteria({ sort, order }, hasCursor, filter);
            const statements = buildIncidentPageStatements({ actor, visibility, criteria });
            const { text } = selectPageSql({ actor, criteria }, statements, INCIDENT_ROW_JSON_SQL);
            return { inputs: `sort=${sort}&order=${order}`, text };
          }),
        ),
      ),
    ),
  );

function buildCriteria(
  order: Pick<IncidentListCriteria, "sort" | "order">,
  hasCursor: boolean,
  filter: Partial<IncidentListCriteria>,
): IncidentListCriteria {
  const keys = buildIncidentSortKeysSql(order);
  const after = hasCursor ? afterSortKeysSql(keys, keys.map(String)) : undefined;
  return {
    search: undefined,
    ...order,
    ...filter,
    page: 1,
    limit: 20,
    after,
    ...(hasCursor && { lookahead: true }),
  };
}
