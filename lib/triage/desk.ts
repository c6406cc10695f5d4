import { Prisma } from "#lib/generated/prisma/client.ts";
import { IS_AWAITED, listAcrossEventsAs, listOfEventAs, type PageText } from "#lib/incidents/queries.ts";
import { json, orNull, record, recordOf, text, time, word } from "#lib/incidents/json-sql.ts";
import type { CrossEventQuery, ListQuery } from "#lib/incidents/schema.ts";
import { isTeam, type Actor } from "#lib/operation/policy.ts";
import type { DeskRow } from "#lib/triage/schema.ts";

/** The list as a desk shows it: of each incident what stands in its row, with its marks, in one statement. */

export type DeskPage = { rows: DeskRow[]; total: number };

export const deskAcrossEvents = async (actor: Actor, query: CrossEventQuery): Promise<DeskPage> =>
  shown(actor, await listAcrossEventsAs(actor, query, rowOf(actor)));

export const deskOfEvent = async (actor: Actor, eventId: string, query: ListQuery): Promise<DeskPage> =>
  shown(actor, await listOfEventAs(actor, { ...query, eventId }, rowOf(actor)));

/** As the database hands it over; what is for the team is to be taken out for anybody else. */
type Found = Omit<DeskRow, "files"> & { files: { all: number; shown: number } };

function shown(actor: Actor, { records, total }: PageText): DeskPage {
  const found = JSON.parse(`[${records}]`) as Found[];
  const rows = found.map(({ files, ...row }) =>
    isTeam(actor, row.eventId)
      ? { ...row, files: files.all }
      : { ...row, files: files.shown, unread: false, due: null, awaiting: null },
  );
  return { rows, total };
}

const FACTS = {
  id: word("i.id"),
  title: text("i.title"),
  state: word("i.state"),
  severity: orNull(word("i.severity")),
  type: orNull(text("i.type")),
  eventId: word("i.event_id"),
  createdAt: time("i.created_at"),
  updatedAt: time("i.updated_at"),
  event: record({ name: text("e.name"), slug: text("e.slug") }),
  reporter: recordOf("i.reporter_id", { name: text("coalesce(r.name, '')") }),
  assignee: recordOf("i.assigned_responder_id", {
    id: word("i.assigned_responder_id"),
    name: text("coalesce(a.name, '')"),
  }),
  messages: json("(select count(*) from reporter_messages m where m.incident_id = i.id)"),
  due: recordOf("i.due_at", { for: word("i.due_for"), since: time("i.due_since"), at: time("i.due_at") }),
  awaiting: json(
    `case when ${IS_AWAITED.reporter.sql} then '"reporter"' when ${IS_AWAITED.team.sql} then '"team"' else 'null' end`,
  ),
};

/** New is what somebody else did after the actor's last look, or what they marked since (docs/decisions/016). */
function rowOf(actor: Actor): Prisma.Sql {
  const me = Prisma.sql`${actor.id}::uuid`;
  const facts = Prisma.raw(record(FACTS).value);
  return Prisma.sql`concat(left(${facts}, -1), ',"pinned":',
    exists (select 1 from pins p where p.user_id = ${me} and p.incident_id = i.id)::text, ',"unread":',
    (select exists (select 1 from unread_marks k where k.user_id = ${me} and k.incident_id = i.id
          and (look.at is null or k.created_at > look.at))
        or exists (select 1 from incident_history h where h.incident_id = i.id
          and (look.at is null or h.created_at > look.at) and h.actor_id is distinct from ${me})
      from (select max(s.at) as at from incident_access s
        where s.incident_id = i.id and s.actor_id = ${me} and s.kind = 'view') look)::text, ',"files":',
    (select concat('{"all":', count(*), ',"shown":', count(*) filter (where f.visible_to_reporter
        or f.uploaded_by_id = ${me}), '}') from related_files f where f.incident_id = i.id), '}')`;
}
