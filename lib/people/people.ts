import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { drawCodeNames } from "#lib/crypto/code-name.ts";
import { runTransaction, sql, type Tx } from "#lib/database/client.ts";
import { lockRows } from "#lib/database/row-lock.ts";
import { isStillOnEventTeam } from "#lib/events/held-roles-queries.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { appendHistoryEntry } from "#lib/incidents/history.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";
import {
  AppError,
  createForbiddenError,
  createNotFoundError,
  InvalidInputError,
} from "#lib/operation/errors.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { computeMatchTerms, computeNameTerms } from "#lib/people/match-terms.ts";
import { loadPersonOfIncident } from "#lib/people/queries.ts";
import {
  MAX_PEOPLE_PER_INCIDENT,
  type IncidentPersonRecord,
  type NewPersonInput,
  type PersonChangeInput,
} from "#lib/people/schema.ts";

/** What the team writes about the people of an incident (contract 7.22). */

export type IncidentPeopleContext = EventActorContext & { incidentId: string };
export type PersonRecordContext = IncidentPeopleContext & { record: { id: string; personId: string } };

/**
 * Adds somebody to an incident, as a person of their own with a new code name.
 * @throws InvalidInputError when the incident has somebody with that name; AppError CONFLICT when it has as many people as
 *   it may, FORBIDDEN when the role has been lost since
 */
export async function addPerson(
  context: IncidentPeopleContext,
  person: NewPersonInput,
): Promise<IncidentPersonRecord> {
  const { incidentId, eventId, organizationId, actor } = context;
  const id = await runTransaction(async (tx) => {
    await lockIncidentOfTeam(tx, context);
    await assertNameIsNew(tx, incidentId, { name: person.name });
    if ((await tx.incidentPerson.count({ where: { incidentId } })) >= MAX_PEOPLE_PER_INCIDENT)
      throw new AppError("CONFLICT", "tooManyPeople", { max: MAX_PEOPLE_PER_INCIDENT });
    const created = await createPerson(tx, organizationId);
    const { id: recordId } = await tx.incidentPerson.create({
      data: {
        incidentId,
        eventId,
        personId: created.id,
        ...person,
        matchTerms: computeMatchTerms(person),
        createdById: actor.id,
      },
      select: { id: true },
    });
    const history = { action: "person.added", toValue: created.codeName, objectId: recordId };
    await appendHistoryEntry(tx, context, history);
    await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendPersonEntry(tx, context, {
      action: "person.add",
      record: { id: recordId, personId: created.id },
    });
    return recordId;
  });
  return loadPersonOfIncident(context, id);
}

/**
 * Changes what an incident says of a person. The present values change nothing.
 * @throws as `addPerson`; AppError NOT_FOUND when the record is gone, CONFLICT when If-Match is stale
 */
export async function changePerson(
  context: PersonRecordContext,
  change: PersonChangeInput,
): Promise<IncidentPersonRecord> {
  const { incidentId, record, call } = context;
  await runTransaction(async (tx) => {
    await lockIncidentOfTeam(tx, context);
    const before = await loadRecord(tx, context);
    assertIfMatch("person", call, before.updatedAt);
    const { name, role, handles, addresses } = before;
    const kept = { name, role, handles, addresses };
    const after = { ...kept, ...change };
    if (JSON.stringify(after) === JSON.stringify(kept)) return;
    await assertNameIsNew(tx, incidentId, { name: after.name, exceptId: record.id });
    await tx.incidentPerson.update({
      where: { id: record.id },
      data: { ...after, matchTerms: computeMatchTerms(after) },
      select: { id: true },
    });
    const toValue = before.person.codeName;
    await appendHistoryEntry(tx, context, { action: "person.changed", toValue, objectId: record.id });
    await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendPersonEntry(tx, context, { action: "person.change", record });
  });
  return loadPersonOfIncident(context, record.id);
}

/**
 * Removes somebody from an incident. Whoever has no record any more is swept; those joined to them stay as they are.
 * @throws AppError NOT_FOUND when the record is gone, CONFLICT when If-Match is stale, FORBIDDEN when the role was lost
 */
export async function removePerson(context: PersonRecordContext): Promise<void> {
  const { record, call } = context;
  await runTransaction(async (tx) => {
    await lockIncidentOfTeam(tx, context);
    const before = await loadRecord(tx, context);
    assertIfMatch("person", call, before.updatedAt);
    await tx.incidentPerson.delete({ where: { id: record.id }, select: { id: true } });
    const fromValue = before.person.codeName;
    await appendHistoryEntry(tx, context, { action: "person.removed", fromValue, objectId: record.id });
    await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendPersonEntry(tx, context, { action: "person.remove", record });
  });
}

/** Locks the incident, so that its people change one after another. @throws AppError FORBIDDEN when the role was lost */
async function lockIncidentOfTeam(
  tx: Tx,
  { incidentId, eventId, actor }: IncidentPeopleContext,
): Promise<void> {
  const [incident] = await lockRows(tx, { table: "incidents", where: { id: incidentId, eventId } });
  if (!incident || !(await isStillOnEventTeam(tx, actor, eventId))) throw createForbiddenError();
}

async function loadRecord(tx: Tx, { incidentId, record }: PersonRecordContext) {
  const where = { id: record.id, incidentId };
  const found = await tx.incidentPerson.findUnique({
    where,
    include: { person: { select: { codeName: true } } },
  });
  if (!found) throw createNotFoundError("person");
  return found;
}

async function assertNameIsNew(
  tx: Tx,
  incidentId: string,
  { name, exceptId }: { name: string; exceptId?: string },
): Promise<void> {
  const same = { incidentId, matchTerms: { hasSome: computeNameTerms(name) } };
  const count = await tx.incidentPerson.count({
    where: exceptId === undefined ? same : { ...same, id: { not: exceptId } },
  });
  if (count > 0) throw new InvalidInputError({ name: createFieldProblem("isNamedAlready") });
}

/** Gives a person the first code name that is free; whoever takes the same at the same time takes another one then. */
async function createPerson(tx: Tx, organizationId: string): Promise<{ id: string; codeName: string }> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const [created] = await tx.$queryRaw<{ id: string; codeName: string }[]>`
      insert into people (id, organization_id, code_name, group_id)
      select new.id, ${organizationId}::uuid, free.code_name, new.id from (select gen_random_uuid() as id) new, (
        select n.code_name from unnest(${drawCodeNames(10)}::text[]) with ordinality as n(code_name, place)
        where not exists (select 1 from people p where p.organization_id = ${organizationId}::uuid and p.code_name = n.code_name)
        order by n.place limit 1) free
      on conflict (organization_id, code_name) do nothing returning id, code_name as "codeName"`;
    if (created) return created;
  }
  throw new Error("no free code name was drawn");
}

/** Appends the audit entry of what was done to a record of the incident. */
const appendPersonEntry = (
  tx: Tx,
  context: IncidentPeopleContext,
  { action, record }: { action: AuditAction; record: PersonRecordContext["record"] },
): Promise<void> =>
  appendAuditEntry(
    tx,
    buildAuditEntry(
      context,
      action,
      { type: "person", id: record.personId },
      { incidentId: context.incidentId, recordId: record.id },
    ),
  );

/** Deletes the people whom no incident names any more, neither them nor anybody who is one with them. */
export async function deletePeopleWithoutRecord(): Promise<void> {
  await sql.$executeRaw`
    with named as materialized (
      select q.group_id from people q join incident_people r on r.person_id = q.id
    )
    delete from people p where not exists (select 1 from named n where n.group_id = p.group_id)`;
}
