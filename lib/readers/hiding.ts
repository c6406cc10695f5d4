import { lockRow } from "#lib/database/row-lock.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { computeNextUpdatedAt } from "#lib/database/next-updated-at-sql.ts";
import {
  type HidingSource,
  recordHidingInLedger,
  recordLetInInLedger,
} from "#lib/erasures/access-changes.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { AppError, InvalidInputError, createNotFoundError } from "#lib/operation/errors.ts";
import { appendHistoryEntry } from "#lib/incidents/history.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";
import { isClosedToLaterPerson } from "#lib/readers/closed-queries.ts";
import {
  canEndList,
  canLetIn,
  evaluateProposedHiding,
  findHidingSource,
  toHidingSource,
  findRemainingDecisionRights,
  listPeopleHiddenByDecision,
  type HidingRequest,
  type ReaderContext,
} from "#lib/readers/queries.ts";
import {
  createReaderListIfMissing,
  HIDDEN_ROW,
  letOutsidePersonIn,
  letPersonIn,
  removeList,
} from "#lib/readers/lists.ts";
import { listHiddenFromPersonIds } from "#lib/access/readers-queries.ts";

/**
 * Hiding an incident from people, and letting them in (contract 16, docs/decisions/058). From the commit on, an
 * incident doesn't exist for whom it is hidden from: not in lists, counts, notifications, exports, logs or streams.
 */

/**
 * Hides the incident from a member of the response team or of the organization, the outside person who reads it, or a
 * SystemAdmin. On their own report the actor does so as its reporter, otherwise as an Admin.
 * @throws InvalidInputError for anybody else, for the incident's reporter, and if too few readers would be left
 *   (contract 16.3); AppError FORBIDDEN when the role has been lost since
 */
export async function hideIncidentFromPerson(
  context: ReaderContext,
  { userId, reason }: { userId: string; reason: string | null },
): Promise<void> {
  const source = context.reporterId === context.actor.id ? "reporter" : "team";
  await hideIncident(context, { userId, reason, source });
}

/**
 * The actor steps out: they don't see the incident until another Admin lets them in.
 * @throws InvalidInputError on their own report, and for its last reader; AppError FORBIDDEN when the role has been lost
 *   since
 */
export const stepOutOfIncident = (context: ReaderContext, reason: string | null): Promise<void> =>
  hideIncident(context, { userId: context.actor.id, reason, source: "self" });

const AUDIT_ACTIONS = {
  reporter: "incident.hide",
  team: "incident.hide",
  self: "incident.stepOut",
} as const satisfies Record<HidingSource, string>;

async function hideIncident(
  context: ReaderContext,
  { userId, reason, source }: { userId: string; reason: string | null; source: HidingSource },
): Promise<void> {
  const { incidentId, actor } = context;
  await runTransaction(async (tx) => {
    const outsidePersonId = await lockAndCheck(tx, context, { userId, source });
    const byId = source === "team" ? actor.id : null;
    if (source !== "self") await createReaderListIfMissing(tx, context, { source, byId });
    const decision = { source, byId, reason, createdAt: new Date() };
    const before = await tx.incidentReader.findUnique({
      where: { incidentId_userId: { incidentId, userId } },
      select: { access: true, source: true },
    });
    // The reporter's decision replaces the person's own or the team's, because Admins may undo those.
    const remains = before?.access === "none" && before.source !== "emergency" && source !== "reporter";
    const stored = await tx.incidentReader.upsert({
      where: { incidentId_userId: { incidentId, userId } },
      create: { incidentId, userId, ...HIDDEN_ROW, ...decision },
      update: { ...HIDDEN_ROW, ...(!remains && decision) },
      select: { source: true },
    });
    await recordHidingInLedger(tx, { incidentId, userId }, toHidingSource(stored.source));
    await removePersonTracesFromIncident(tx, context, userId);
    if (outsidePersonId !== undefined) await passToOutsidePerson(tx, context, outsidePersonId);
    await appendHistoryEntry(tx, context, { action: "hidden", toValue: userId });
    await appendChange(tx, context);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, AUDIT_ACTIONS[source], { type: "incident", id: incidentId }, { userId }),
    );
  });
}

/**
 * Locks the incident, so that two calls can't hide it from its last two readers, and finds out whether it can be hidden
 * from the person.
 * @returns the outside person, if nobody who can read the incident remains on the team
 * @throws InvalidInputError; AppError NOT_FOUND, FORBIDDEN
 */
async function lockAndCheck(
  tx: Tx,
  context: ReaderContext,
  request: HidingRequest,
): Promise<string | undefined> {
  await lockRow(tx, { table: "incidents", id: context.incidentId });
  if (request.source !== "self") await assertNotHiddenFromActor(tx, context);
  const { problem, outsidePersonId } = await evaluateProposedHiding(tx, context, request);
  if (problem) throw new InvalidInputError({ userId: createFieldProblem(problem) });
  return outsidePersonId;
}

/** Refuses an actor from whom the incident was hidden in the meantime. @throws AppError NOT_FOUND */
async function assertNotHiddenFromActor(tx: Tx, { incidentId, actor }: ReaderContext): Promise<void> {
  if ((await listHiddenFromPersonIds(tx, incidentId, [actor.id])).length > 0)
    throw createNotFoundError("incident");
}

/**
 * Lets the outside person read the incident, and notifies them the way a team is notified of a new incident.
 */
async function passToOutsidePerson(tx: Tx, context: ReaderContext, userId: string): Promise<void> {
  await letOutsidePersonIn(tx, context.incidentId, userId);
  await appendOutboxEvent(tx, buildOutboxEvent(context, "incident.created"));
}

/** The incident, and who hides it: null for one that the service repeats after a restore. */
type TraceContext = Pick<ReaderContext, "incidentId" | "eventId" | "organizationId"> & {
  actor: { id: string | null };
};

/**
 * Removes the person's traces on the incident: assignment, pin, unread marker and notifications, and the deliveries
 * about it to webhooks that they can read.
 */
export async function removePersonTracesFromIncident(
  tx: Tx,
  context: TraceContext,
  userId: string,
): Promise<void> {
  const { incidentId, organizationId } = context;
  const columns = ["assignedResponderId", "updatedAt"] as const;
  const incident = await lockRow(tx, { table: "incidents", id: incidentId }, columns);
  if (incident?.assignedResponderId === userId) {
    const updatedAt = computeNextUpdatedAt(incident.updatedAt);
    const unassigned = { assignedResponderId: null, updatedAt };
    await tx.incident.update({ where: { id: incidentId }, data: unassigned, select: { id: true } });
    const entry = { action: "assignee", fromValue: userId, createdAt: updatedAt };
    await appendHistoryEntry(tx, context, entry);
  }
  const where = { incidentId, userId };
  await tx.pin.deleteMany({ where });
  await tx.unreadMarker.deleteMany({ where });
  await tx.notification.deleteMany({ where });
  // Admins of the organization read what was sent to its webhooks.
  const isAboutIncident = { path: ["incidentId"], equals: incidentId };
  await tx.webhookDelivery.deleteMany({ where: { webhook: { organizationId }, payload: isAboutIncident } });
}

/**
 * Lets a person in: they see the incident again, with all that happened in the meantime.
 * @throws AppError NOT_FOUND where it isn't hidden from them, FORBIDDEN when it isn't the actor's to decide, or they have lost the role since
 */
export async function letPersonInAgain(context: ReaderContext, userId: string): Promise<void> {
  const { incidentId } = context;
  await runTransaction(async (tx) => {
    await lockRow(tx, { table: "incidents", id: incidentId });
    // The statement that waited for the lock read other tables as they were before the wait.
    await assertNotHiddenFromActor(tx, context);
    const source = await findHidingSource(tx, incidentId, userId);
    if (!source) throw createNotFoundError("person");
    await letIn(tx, context, { source, userId });
  });
}

/**
 * Lets somebody in who joined after the incident had got its list. Does nothing where that isn't so any more, or somebody
 * has decided about them meanwhile.
 * @throws AppError FORBIDDEN when the actor has lost the role since
 */
export async function letLaterPersonIn(context: ReaderContext, userId: string): Promise<void> {
  const { incidentId, actor } = context;
  await runTransaction(async (tx) => {
    await lockRow(tx, { table: "incidents", id: incidentId });
    if (await isClosedToLaterPerson(tx, incidentId, { userId, actor }))
      await letIn(tx, context, { source: "team", userId });
  });
}

/** @throws AppError FORBIDDEN when it isn't the actor's to decide, or they have lost the role since */
async function letIn(tx: Tx, context: ReaderContext, { source, userId }: HidingRequest): Promise<void> {
  const { incidentId, actor, reporterId } = context;
  const rights = await findRemainingDecisionRights(tx, context);
  if (!canLetIn(actor, rights, { source, userId })) throw new AppError("FORBIDDEN", "hidingNotYours");
  await recordLetInInLedger(tx, { incidentId, userId });
  await appendHistoryEntry(tx, context, { action: "letIn", fromValue: userId });
  await appendChange(tx, context);
  const object = { type: "incident", id: incidentId };
  await appendAuditEntry(tx, buildAuditEntry(inSystemLog(context), "incident.letIn", object, { userId }));
  const by =
    reporterId === actor.id
      ? ({ source: "reporter", byId: null } as const)
      : ({ source: "team", byId: actor.id } as const);
  await letPersonIn(tx, context, { userId, ...by });
}

/** Entries about an incident with a list go to the system's log, and so does the one that ends it (contract 16.6). */
const inSystemLog = (context: ReaderContext) => ({ ...context, organizationId: null });

/**
 * Ends the list of an incident: the team reads it again, also who joined since, and those from whom its reporter or an Admin
 * hid it. Whoever stepped out stays out, and answers to the conflict check stay.
 * @throws AppError NOT_FOUND without a list, FORBIDDEN when it isn't the actor's to end, or they have lost the role since
 */
export async function endReaderList(context: ReaderContext): Promise<void> {
  const { incidentId } = context;
  await runTransaction(async (tx) => {
    await lockRow(tx, { table: "incidents", id: incidentId });
    await assertNotHiddenFromActor(tx, context);
    const hidden = await listPeopleHiddenByDecision(tx, incidentId);
    if (!canEndList(await findRemainingDecisionRights(tx, context), hidden))
      throw new AppError("FORBIDDEN", "listNotYours");
    const object = { type: "incident", id: incidentId };
    await appendAuditEntry(tx, buildAuditEntry(inSystemLog(context), "incident.endList", object));
    if (!(await removeList(tx, incidentId))) throw createNotFoundError("list");
    for (const { userId } of hidden) await recordLetInInLedger(tx, { incidentId, userId });
    await appendHistoryEntry(tx, context, { action: "listEnded" });
    await appendChange(tx, context);
  });
}

const appendChange = (tx: Tx, context: ReaderContext) =>
  appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
