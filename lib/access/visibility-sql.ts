import { Prisma } from "#lib/generated/prisma/client.ts";
import { isReadableSql } from "#lib/access/readers-sql.ts";
import type { VisibleIncidentFilter } from "#lib/access/visibility.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** SQL condition on an incident `i`: the filter lets the actor see it, and they read it. */
export function incidentVisibilityConditionSql(visibility: VisibleIncidentFilter, actor: Actor): Prisma.Sql {
  const readable = isReadableSql(actor);
  if (visibility.everything) return readable;
  const all = eventConditionSql(visibility.all);
  if (visibility.own.length === 0) return Prisma.sql`${all} and ${readable}`;
  const own = Prisma.sql`(i.reporter_id = ${actor.id}::uuid and ${eventConditionSql(visibility.own)})`;
  return Prisma.sql`${visibility.all.length === 0 ? own : Prisma.sql`(${all} or ${own})`} and ${readable}`;
}

/** SQL condition on an incident `i`: it belongs to one of these events. A single id allows for a better plan. */
export const eventConditionSql = (ids: string[]) =>
  ids.length === 1 ? Prisma.sql`i.event_id = ${ids[0]}::uuid` : Prisma.sql`i.event_id = any(${ids}::uuid[])`;
