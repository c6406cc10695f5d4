import { TEAM_ROLES } from "#lib/access/role-sets.ts";
import { lockRows } from "#lib/database/row-lock.ts";
import { z } from "zod";
import { createFieldProblem, encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { isActivePerson } from "#lib/access/usable-roles.ts";
import {
  idInput,
  idOutput,
  limitQuery,
  pageNumberQuery,
  Pagination,
  buildPaginationFromTotal,
  timeOutput,
} from "#lib/operation/fields.ts";
import { appendAuditEntries, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import {
  AppError,
  createForbiddenError,
  InvalidInputError,
  createNotFoundError,
} from "#lib/operation/errors.ts";
import {
  countKnownIncidents,
  filterIncidentIdsHandedOverBy,
  filterIncidentIdsReadableBy,
  listOpenIncidentsOfAssignee,
} from "#lib/events/assignment-queries.ts";
import { lockOpenAssignedIncidents, reassignLockedIncidents } from "#lib/events/assignments.ts";
import { requireEventUser } from "#lib/events/queries.ts";
import { assertAndLockEventAdmin, type EventUserContext } from "#lib/events/roles.ts";
import type { EventUserPermissionSubject } from "#lib/events/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Handover: the open incidents of somebody who leaves, and their reassignment. */

const MAX_HANDOVER_INCIDENTS = 500;

export const AssignedIncidentsQuery = z.object({ page: pageNumberQuery, limit: limitQuery(100) });
export const AssignedIncident = z.object({
  id: idOutput,
  title: z.string(),
  state: z.enum(["submitted", "acknowledged", "investigating"]),
  severity: z.enum(["low", "medium", "high", "critical"]).nullable(),
  createdAt: timeOutput,
});

export const OpenAssignments = z.object({
  incidents: z.array(AssignedIncident),
  counts: z.object({ submitted: z.int(), acknowledged: z.int(), investigating: z.int() }),
  pagination: Pagination,
});

export const EventWorkload = z.object({
  people: z.array(z.object({ userId: idOutput, open: z.int(), oldest: timeOutput })),
});

/** `toUserId` null unassigns; without `incidentIds`, all of the person's open incidents are handed over. */
export const IncidentHandoverInput = z.object({
  toUserId: idInput.nullable(),
  incidentIds: z
    .array(idInput, encodeFieldProblem("mustBeIds"))
    .min(1, encodeFieldProblem("mustNameOne"))
    .max(MAX_HANDOVER_INCIDENTS, encodeFieldProblem("mustNameAtMost", { max: MAX_HANDOVER_INCIDENTS }))
    .transform((ids) => [...new Set(ids)])
    .optional(),
});
type Handover = z.output<typeof IncidentHandoverInput>;

/** Lists a person's open incidents. @throws AppError NOT_FOUND for somebody without a role in the event */
export async function listOpenAssignments(
  person: EventUserPermissionSubject & { actor: Actor },
  query: z.output<typeof AssignedIncidentsQuery>,
): Promise<z.input<typeof OpenAssignments>> {
  const { incidents, total, counts } = await listOpenIncidentsOfAssignee(person, person.actor, query);
  if (total === 0) await requireEventUser(person);
  return { incidents, counts, pagination: buildPaginationFromTotal(query, total) };
}

/**
 * Hands over a person's open incidents in one transaction: changes each record and appends its history entry, outbox
 * event and audit entry. Given incidents are handed over all or none. Without `incidentIds`, those that the actor may not
 * change, or that are hidden from the new assignee, stay with the person.
 * @returns how many were handed over
 * @throws AppError INVALID_ASSIGNEE when the new assignee isn't on the team or one of the given incidents is hidden
 *   from them, NOT_FOUND for an unknown incident or a person without a role in the event, CONFLICT when one of the
 *   given incidents is closed or assigned to somebody else by now, FORBIDDEN when the actor may not give one of them
 */
export async function handOverIncidents(
  context: EventUserContext,
  { toUserId, incidentIds }: Handover,
): Promise<number> {
  const { eventId, userId, actor } = context;
  if (toUserId === userId) throw new InvalidInputError({ toUserId: createFieldProblem("mustBeSomeoneElse") });
  return runTransaction(async (tx) => {
    await assertAndLockEventAdmin(tx, actor, eventId);
    if (toUserId) await lockAssigneeRole(tx, eventId, toUserId);
    const assigned = await lockOpenAssignedIncidents(tx, context, incidentIds);
    const shown = await filterIncidentIdsHandedOverBy(tx, assigned, { actor, toUserId });
    if (incidentIds && shown.length < incidentIds.length)
      throw await explainRefusal(tx, eventId, { incidentIds, assigned, actor });
    const held = toUserId ? await filterIncidentIdsReadableBy(tx, shown, toUserId) : shown;
    if (incidentIds && held.length < shown.length) throw new AppError("INVALID_ASSIGNEE", "handoverHidden");
    if (held.length === 0) {
      await requireEventUser(context);
      return 0;
    }
    await reassignLockedIncidents(tx, { holder: context, actor, toUserId, incidentIds: held });
    await appendAuditEntries(
      tx,
      buildAuditEntry(
        context,
        "incident.handOver",
        { type: "incident", ids: held },
        { fromUserId: userId, assignedResponderId: toUserId },
      ),
    );
    return held.length;
  });
}

/** Locks the new assignee's role until the commit. @throws AppError INVALID_ASSIGNEE */
async function lockAssigneeRole(tx: Tx, eventId: string, userId: string): Promise<void> {
  const where = { eventId, userId };
  const roles = await lockRows(tx, { table: "event_roles", where, strength: "key share" }, ["roleName"]);
  const isOnTeam = roles.some(({ roleName }) => TEAM_ROLES.includes(roleName));
  if (!isOnTeam || (await tx.user.count({ where: { id: userId, ...isActivePerson() } })) === 0)
    throw new AppError("INVALID_ASSIGNEE", "invalidAssignee");
}

async function explainRefusal(
  tx: Tx,
  eventId: string,
  { incidentIds, assigned, actor }: { incidentIds: string[]; assigned: string[]; actor: Actor },
): Promise<AppError> {
  if ((await countKnownIncidents(tx, eventId, { incidentIds, reader: actor })) < incidentIds.length)
    return createNotFoundError("incidents");
  return assigned.length < incidentIds.length
    ? new AppError("CONFLICT", "handoverChanged")
    : createForbiddenError();
}

/** Describes a handover in its response. */
export function formatHandoverResult(count: number, toUserId: string | null): string {
  if (count === 0) return "There was nothing to hand over.";
  const isOne = count === 1;
  if (toUserId) return isOne ? "One incident was handed over." : `${count} incidents were handed over.`;
  return isOne ? "One incident is now unassigned." : `${count} incidents are now unassigned.`;
}
