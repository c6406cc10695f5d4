import type { Tx } from "#lib/database/client.ts";
import { ONLY_SAYS_WHO_OPENED_SQL } from "#lib/access/readers-sql.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { findAccessByRoles } from "#lib/readers/queries.ts";
import { peopleOfNewListSql, selectOutsidePersonOfEventSql } from "#lib/access/team-sql.ts";

/** The list of the people who read an incident that is hidden from somebody (contract 16.1, docs/decisions/058). */

/** What a row keeps of its person once the incident is hidden from them: they are asked again if they are let in. */
export const HIDDEN_ROW = { access: "none", openedUntil: null, answer: null } as const;

/**
 * Gives a locked incident a list, unless it has one: a row for everybody who can use a role at this moment, so that whoever
 * comes later isn't on it (docs/decisions/058). Their answers to its conflict check stay, those of anybody else go.
 */
export async function createReaderListIfMissing(
  tx: Pick<SqlClient, "$executeRaw">,
  { incidentId, eventId }: { incidentId: string; eventId: string },
  { source, byId }: { source: "reporter" | "team"; byId: string | null },
): Promise<void> {
  await tx.$executeRaw`
    with made as (
      update incidents set listed = true, outside_person_id = (${selectOutsidePersonOfEventSql(eventId)})
      where id = ${incidentId}::uuid and not listed returning id, conflict_check
    ), people as (
      select m.id, p.user_id, p.access from made m cross join lateral (${peopleOfNewListSql(eventId, Prisma.sql`m.conflict_check`)}) p
    ), former as (
      delete from incident_readers x using made m where x.incident_id = m.id and ${ONLY_SAYS_WHO_OPENED_SQL}
        and x.user_id not in (select p.user_id from people p)
    )
    insert into incident_readers as x (incident_id, user_id, access, source, by_id)
    select p.id, p.user_id, p.access, ${source}::reader_source, ${byId}::uuid from people p
    on conflict (incident_id, user_id) do update set source = excluded.source, by_id = excluded.by_id,
      access = case excluded.access when 'numbers' then 'numbers' else x.access end,
      answer = case excluded.access when 'numbers' then null else x.answer end,
      opened_until = case excluded.access when 'numbers' then null else x.opened_until end
      where ${ONLY_SAYS_WHO_OPENED_SQL}`;
}

/**
 * Removes the list of a locked incident, with all rows that its reporter or the team decided, and those of people who opened
 * it in an emergency since they weren't on it. Answers to the conflict check stay, as of somebody who was never on a list.
 * @returns false if it has none
 */
export async function removeList(tx: Tx, incidentId: string): Promise<boolean> {
  const decided = {
    incidentId,
    source: { in: ["reporter", "team"] },
  } satisfies Prisma.IncidentReaderWhereInput;
  await tx.incidentReader.updateMany({
    where: { ...decided, answer: { not: null } },
    data: { source: "answer", byId: null, reason: null },
  });
  await tx.incidentReader.deleteMany({
    where: { incidentId, OR: [decided, { source: "emergency", access: "none" }] },
  });
  const { count } = await tx.incident.updateMany({
    where: { id: incidentId, listed: true },
    data: { listed: false, outsidePersonId: null },
  });
  return count > 0;
}

/** Lets somebody outside the team read a locked incident that nobody on it reads. Their answer to its conflict check stays. */
export async function letOutsidePersonIn(tx: Tx, incidentId: string, userId: string): Promise<void> {
  const { conflictCheck } = await tx.incident.findUniqueOrThrow({
    where: { id: incidentId },
    select: { conflictCheck: true },
  });
  const key = { incidentId, userId };
  const answered = await tx.incidentReader.count({ where: { ...key, answer: { not: null } } });
  const letIn = { source: "outside", access: conflictCheck && answered === 0 ? "ask" : "full" } as const;
  await tx.incidentReader.upsert({
    where: { incidentId_userId: key },
    create: { ...key, ...letIn },
    update: letIn,
    select: { userId: true },
  });
}

/**
 * Lets a person read an incident again, or count it: as much as their roles allow. On an incident with a list that is a
 * row; elsewhere the team reads what no row hides.
 */
export async function letPersonIn(
  tx: Tx,
  { incidentId, eventId }: { incidentId: string; eventId: string },
  { userId, source, byId }: { userId: string; source: "reporter" | "team"; byId: string | null },
): Promise<void> {
  const { listed } = await tx.incident.findUniqueOrThrow({
    where: { id: incidentId },
    select: { listed: true },
  });
  if (!listed) return void (await tx.incidentReader.deleteMany({ where: { incidentId, userId } }));
  const access = await findAccessByRoles(tx, { incidentId, eventId }, userId);
  const decision = {
    access,
    source,
    byId,
    reason: null,
    answer: null,
    openedUntil: null,
    createdAt: new Date(),
  };
  await tx.incidentReader.upsert({
    where: { incidentId_userId: { incidentId, userId } },
    create: { incidentId, userId, ...decision },
    update: decision,
    select: { userId: true },
  });
}
