import { z } from "zod";
import { operation } from "#lib/operation/operation.ts";
import { idOut } from "#lib/operation/fields.ts";
import { db } from "#lib/database/client.ts";
import { incidentRefScope } from "#lib/incidents/scope.ts";

/**
 * Which files of an incident somebody added themselves: a reporter may describe these, and no others. The records
 * that a Reporter gets don't say who added a file, since that would name people of the team.
 */
export const listOwnFiles = operation({
  name: "listOwnFiles",
  summary: "The files of an incident that you added yourself, by id",
  on: incidentRefScope,
  can: "incident.viewFile",
  output: z.object({ fileIds: z.array(idOut) }),
  run: async ({ actor, incidentId }) => {
    const rows = await db.$queryRaw<{ id: string }[]>`
      select id from related_files
      where incident_id = ${incidentId}::uuid and uploaded_by_id = ${actor.id}::uuid`;
    return { fileIds: rows.map(({ id }) => id) };
  },
});
