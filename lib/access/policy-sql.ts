import { Prisma } from "#lib/generated/prisma/client.ts";
import { INCIDENT_STATES, OPEN_STATES, type IncidentState } from "#lib/access/incident-states.ts";
import { EVENT_ADMIN_ROLES, REPORTER_ROLES, TEAM_ROLES } from "#lib/access/role-sets.ts";

/**
 * Roles and states, from the policy and the workflow. They are part of a statement's text and not its
 * parameters, since the planner uses a partial index only then.
 */

const namesSql = (names: readonly string[]): Prisma.Sql =>
  Prisma.raw(`(${names.map((name) => `'${name}'`).join(", ")})`);

export const TEAM_ROLES_SQL = namesSql(TEAM_ROLES);
export const REPORTER_ROLES_SQL = namesSql(REPORTER_ROLES);
export const EVENT_ADMIN_ROLES_SQL = namesSql(EVENT_ADMIN_ROLES);
export const OPEN_STATES_SQL = namesSql(OPEN_STATES);
export const FIRST_STATE_SQL = Prisma.raw(`'${INCIDENT_STATES[0]}'`);

/** Adds up the counters of these states in a row of `incident_counts`, which has a column for each. */
export const sumStateCountsSql = (row: string, states: readonly IncidentState[]): Prisma.Sql =>
  Prisma.raw(states.map((state) => `${row}.${state}`).join(" + "));
