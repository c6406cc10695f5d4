import { z } from "zod";
import { operation } from "#lib/api/operation.ts";
import { idOut, time } from "#lib/api/text.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { db } from "#lib/db.ts";
import { incidentScope } from "#lib/incidents/scope.ts";
import { isTeam } from "#lib/policy.ts";

/** The history of an incident (rulings R7). */

const Entry = z.object({
  id: idOut,
  /** submitted, state, reopen, assignee, severity, resolution, title, note, deadline. */
  action: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Null for anonymous reports and for the service itself; a Reporter sees no names of the team. */
  actor: z.object({ id: idOut, name: z.string() }).nullable(),
  /** Text of a team note; never in a Reporter's view. */
  note: z.string().nullable(),
  createdAt: time,
});

export const showHistory = operation({
  name: "getIncidentHistory",
  summary: "What happened to an incident, oldest first; a Reporter sees the states only",
  on: incidentScope,
  can: "incident.viewHistory",
  output: z.object({ history: z.array(Entry) }),
  run: async ({ actor, eventId, incident }) => ({
    history: isTeam(actor, eventId) ? await wholeHistory(incident.id) : await statesOnly(incident.id),
  }),
});

type Row = z.input<typeof Entry>;

const statesOnly = (incidentId: string): Promise<Row[]> => db.$queryRaw<Row[]>`
  select id, action, from_value as "from", to_value as "to", null as actor, null as note, created_at as "createdAt"
  from incident_history where incident_id = ${incidentId}::uuid and action in ('submitted', 'state', 'reopen')
  order by created_at, id limit 1000`;

/** Assignees are told by name; a note stands where it was written, with its text. */
const wholeHistory = (incidentId: string): Promise<Row[]> => db.$queryRaw<Row[]>`
  select h.id, h.action, ${nameOf("h.from_value")} as "from", ${nameOf("h.to_value")} as "to",
    case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as actor,
    case when h.action = 'note' then (select n.body from team_notes n where n.incident_id = h.incident_id
      and n.author_id = h.actor_id and n.created_at = h.created_at limit 1) end as note,
    h.created_at as "createdAt"
  from incident_history h left join users u on u.id = h.actor_id
  where h.incident_id = ${incidentId}::uuid order by h.created_at, h.id limit 1000`;

const nameOf = (column: string) =>
  Prisma.raw(
    `case when h.action = 'assignee' then (select p.name from users p where p.id::text = ${column}) else ${column} end`,
  );
