import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { IS_INCIDENT_RESTRICTED_SQL } from "#lib/access/readers-sql.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { isStillOnEventTeam } from "#lib/events/held-roles-queries.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { computeGroups, joinPeople, splitPerson, type Joinable } from "#lib/people/joins.ts";
import type { PersonRecordContext } from "#lib/people/people.ts";
import { hasReadRecordSql } from "#lib/people/readable-sql.ts";

/** Joining people that are one, and splitting them (contract 7.22). */

type PersonInGroup = Joinable & {
  groupId: string;
  /** Whether the actor reads a record of theirs. */
  isKnown: boolean;
  /** An incident with a record of theirs that has a list or is hidden from somebody. */
  restrictedIncidentId: string | null;
};

/**
 * Joins the person of a record with another of whom the actor reads a record. Joining those who are one changes nothing.
 * @throws AppError NOT_FOUND for somebody of whom the actor reads no record, FORBIDDEN when the role has been lost since
 */
export async function joinPerson(context: PersonRecordContext, otherId: string): Promise<void> {
  const { personId } = context.record;
  await runTransaction(async (tx) => {
    const people = await lockGroups(tx, context, [personId, otherId]);
    const [person, other] = [personId, otherId].map((id) => people.find((one) => one.id === id));
    if (!person || !other?.isKnown) throw createNotFoundError("person");
    if (person.groupId === other.groupId) return;
    await writeLines(tx, people, joinPeople(people, personId, otherId));
    await recordJoin(tx, context, { action: "person.join", people, data: { otherPersonId: otherId } });
  });
}

/**
 * Splits the person of a record from those to whom they are joined.
 * @throws AppError CONFLICT when they are joined to nobody whom the actor knows, FORBIDDEN when the role was lost
 */
export async function splitPersonOfRecord(context: PersonRecordContext): Promise<void> {
  const { personId } = context.record;
  await runTransaction(async (tx) => {
    const people = await lockGroups(tx, context, [personId]);
    if (!people.some(({ id }) => id === personId)) throw createNotFoundError("person");
    const lines = splitPerson(people, personId, ({ isKnown }) => isKnown);
    if ((await writeLines(tx, people, lines)) === 0) throw new AppError("CONFLICT", "personNotJoined");
    await recordJoin(tx, context, { action: "person.split", people, data: {} });
  });
}

/**
 * Locks all joins of the organization, and reads the groups of some of its people.
 * @throws AppError FORBIDDEN when the role was lost
 */
async function lockGroups(
  tx: Tx,
  { organizationId, eventId, actor }: PersonRecordContext,
  ids: string[],
): Promise<PersonInGroup[]> {
  await lockRow(tx, { table: "organizations", id: organizationId });
  if (!(await isStillOnEventTeam(tx, actor, eventId))) throw createForbiddenError();
  return listPeopleOfGroups(tx, { actor, organizationId, ids });
}

const listPeopleOfGroups = (
  tx: Tx,
  { actor, organizationId, ids }: { actor: Actor; organizationId: string; ids: string[] },
): Promise<PersonInGroup[]> => tx.$queryRaw<PersonInGroup[]>`
  select q.id, q.joined_to_id as "joinedToId", q.group_id as "groupId", ${hasReadRecordSql(actor)} as "isKnown",
    (select i.id from incident_people r join incidents i on i.id = r.incident_id
      where r.person_id = q.id and ${IS_INCIDENT_RESTRICTED_SQL} limit 1) as "restrictedIncidentId"
  from people q where q.organization_id = ${organizationId}::uuid
    and q.group_id in (select p.group_id from people p where p.id = any(${ids}::uuid[]))
  order by q.id for update of q`;

/** Writes the lines, and the groups that follow from them. @returns how many lines changed */
async function writeLines(tx: Tx, before: PersonInGroup[], lines: Joinable[]): Promise<number> {
  const groups = computeGroups(lines);
  const hasChanged = ({ id, joinedToId }: Joinable, at: number) =>
    joinedToId !== before[at]?.joinedToId || groups.get(id) !== before[at]?.groupId;
  const changed = lines.filter(hasChanged);
  await tx.$executeRaw`
    update people p set joined_to_id = n.joined_to_id, group_id = n.group_id
    from unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map(({ joinedToId }) => joinedToId)}::uuid[],
      ${changed.map(({ id }) => groups.get(id))}::uuid[]) as n(id, joined_to_id, group_id)
    where p.id = n.id`;
  return changed.length;
}

/**
 * Tells the open pages of the incident, and the audit log. The entry names two people, so it belongs to the organization
 * and not to the event, and where anything of either is hidden from anybody, it is about that incident.
 */
async function recordJoin(
  tx: Tx,
  context: PersonRecordContext,
  { action, people, data }: { action: AuditAction; people: PersonInGroup[]; data: Record<string, string> },
): Promise<void> {
  const { record, incidentId } = context;
  const restricted = people.find(({ restrictedIncidentId }) => restrictedIncidentId !== null);
  await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
  await appendAuditEntry(
    tx,
    buildAuditEntry(
      { ...context, eventId: null },
      action,
      { type: "person", id: record.personId },
      { incidentId: restricted?.restrictedIncidentId ?? incidentId, recordId: record.id, ...data },
    ),
  );
}
