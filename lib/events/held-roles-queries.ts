import type { SqlClient } from "#lib/database/sql.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Finds whether the actor is on the event's team now: they may have lost the role since the request came. */
export async function isStillOnEventTeam(
  client: Pick<SqlClient, "$queryRaw">,
  actor: Actor,
  eventId: string,
): Promise<boolean> {
  const [found] = await client.$queryRaw<{ onTeam: boolean }[]>`
    select ${isStillOnEventTeamSql(actor, eventId)} as "onTeam"`;
  return found?.onTeam === true;
}
