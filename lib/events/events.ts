import type { OperationContext } from "#lib/operation/operation.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import {
  AppError,
  InvalidInputError,
  isUniqueViolation,
  createNotFoundError,
} from "#lib/operation/errors.ts";
import { assertAndLockEventAdmin } from "#lib/events/roles.ts";
import { EVENT_COLUMNS, findEventOfLogoUrl, isDateRangeValid, toEventRecord } from "#lib/events/schema.ts";
import { EXAMPLE_LOGO_URL, eventLogoUrlInput } from "#lib/operation/fields.ts";
import type { EventChangeInput, EventRecord, EventRow, NewEventInput } from "#lib/events/schema.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { buildOutboxEvent } from "#lib/jobs/outbox-events.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import { ORG_ADMIN_ROLES } from "#lib/access/role-sets.ts";

/**
 * Creates an event. Makes its creator, if a member of the organization, and every current org_admin an Admin of it, as
 * plain assignments; nothing is inherited later (contract 2.4). Members who haven't accepted their membership get an
 * invitation to the event as well.
 * @throws AppError SLUG_TAKEN
 */
export async function createEvent(
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  { showTeam, ...event }: NewEventInput,
): Promise<EventRecord> {
  const work = runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, context.actor, context.organizationId);
    return insertEvent(tx, context, { event, reportSettings: { showTeam } });
  });
  return work.catch((error: unknown) => refuseTakenEventSlug(error, "slug"));
}

type EventToInsert = {
  event: Omit<NewEventInput, "showTeam"> & { codeOfConduct?: string | null };
  reportSettings: Omit<Prisma.EventReportSettingsCreateWithoutEventInput, "updatedAt">;
  /** The event that it was copied from, and who has a role on its team. */
  copied?: { fromEventId: string; team: readonly { userId: string; roleName: EventRole }[] };
};

/**
 * Stores an event with its first Admins and, where it is a copy, the team. The caller has checked the right to, and
 * refuses a taken slug.
 */
export async function insertEvent(
  tx: Tx,
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  { event, reportSettings, copied }: EventToInsert,
): Promise<EventRecord> {
  const { organizationId, actor } = context;
  const data = { ...event, organizationId, reportSettings: { create: reportSettings } };
  const row = await tx.event.create({ data, select: EVENT_COLUMNS });
  const place = { ...context, eventId: row.id };
  const admins = await grantFirstAdmins(tx, { eventId: row.id, organizationId, creatorId: actor.id });
  if (copied) await grantCopiedRoles(tx, place, copied.team);
  const about = {
    admins,
    ...(copied && { copiedFrom: copied.fromEventId, team: copied.team.map(({ userId }) => userId) }),
  };
  await appendAuditEntry(tx, buildAuditEntry(place, "event.create", { type: "event", id: row.id }, about));
  return toEventRecord(row);
}

/** Gives people of the same organization their roles, and tells them. Who is there already keeps what they have. */
async function grantCopiedRoles(
  tx: Tx,
  place: EventPermissionSubject & { actor: Actor },
  team: NonNullable<EventToInsert["copied"]>["team"],
): Promise<void> {
  const { eventId } = place;
  await tx.eventRole.createMany({ data: team.map((role) => ({ ...role, eventId })), skipDuplicates: true });
  for (const [state, people] of Map.groupBy(team, ({ roleName }) => roleName)) {
    const personIds = people.map(({ userId }) => userId);
    await appendOutboxEvent(tx, buildOutboxEvent(place, "role.changed", { personIds, state }));
  }
}

type FirstAdminsInput = { eventId: string; organizationId: string; creatorId: string };

async function grantFirstAdmins(
  tx: Tx,
  { eventId, organizationId, creatorId }: FirstAdminsInput,
): Promise<string[]> {
  const members = await tx.organizationMember.findMany({
    where: { organizationId, OR: [{ role: { in: ORG_ADMIN_ROLES } }, { userId: creatorId }] },
    select: { userId: true, pending: true, invitedById: true },
  });
  await tx.eventRole.createMany({
    data: members.map((member) => ({ ...member, eventId, roleName: "Admin" as const })),
  });
  return members.map(({ userId }) => userId);
}

/**
 * Changes only the given fields. A new or removed `logo` also removes an uploaded one; the address of the uploaded one
 * leaves it as it is.
 * @throws AppError SLUG_TAKEN; CONFLICT when `If-Match` differs from the event's `updatedAt`; InvalidInputError when
 *   the dates are out of order, unchanged ones included
 */
export async function updateEvent(
  context: OperationContext<EventPermissionSubject, Actor>,
  requested: EventChangeInput,
): Promise<EventRecord> {
  const { eventId, actor, call } = context;
  const work = runTransaction(async (tx) => {
    await assertAndLockEventAdmin(tx, actor, eventId);
    const stored = await lockEvent(tx, eventId);
    assertIfMatch("event", call, stored.updatedAt);
    const change = omitUnchangedLogo(requested, stored);
    refuseReversedDates(stored, change);
    const fields = listChangedEventFields(stored, change);
    if (fields.length === 0) return toEventRecord(stored);
    const row = await tx.event.update({
      where: { id: eventId },
      data: toEventColumns(change),
      select: EVENT_COLUMNS,
    });
    const replacedLogoKey = change.logo !== undefined && stored.logoKey;
    if (replacedLogoKey) await enqueueJob(tx, "files.remove", { keys: [replacedLogoKey] });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "event.update",
        { type: "event", id: eventId },
        { fields, isActive: row.isActive },
      ),
    );
    return toEventRecord(row);
  });
  return work.catch((error: unknown) => refuseTakenEventSlug(error, "newSlug"));
}

/**
 * Omits a `logo` that is the address of the event's own uploaded one, as reading the event gives it.
 * @throws InvalidInputError for that of another event, unless it is an https link
 */
function omitUnchangedLogo(change: EventChangeInput, { id, slug }: EventRow): EventChangeInput {
  const { logo, ...others } = change;
  const shown = logo ? findEventOfLogoUrl(logo) : undefined;
  if (shown === id || shown === `slug/${slug}`) return others;
  if (logo && !eventLogoUrlInput.safeParse(logo).success)
    throw new InvalidInputError({
      logo: createFieldProblem("mustBeHttpsLike", { example: EXAMPLE_LOGO_URL }),
    });
  return change;
}

async function lockEvent(tx: Tx, eventId: string): Promise<EventRow> {
  await lockRow(tx, { table: "events", id: eventId });
  const row = await tx.event.findUnique({ where: { id: eventId }, select: EVENT_COLUMNS });
  if (!row) throw createNotFoundError("event");
  return row;
}

function refuseReversedDates(stored: EventRow, change: EventChangeInput): void {
  const startDate = change.startDate === undefined ? stored.startDate : change.startDate;
  const endDate = change.endDate === undefined ? stored.endDate : change.endDate;
  if (isDateRangeValid(startDate, endDate)) return;
  throw new InvalidInputError(
    change.endDate
      ? { endDate: createFieldProblem("mustNotPrecedeStart") }
      : { startDate: createFieldProblem("mustNotFollowEnd") },
  );
}

/** Fields of a change that differ from what is stored. A logo is a link or an uploaded file. */
function listChangedEventFields(
  { slug, logoUrl, logoKey, ...stored }: EventRow,
  change: EventChangeInput,
): string[] {
  return listChangedFields({ ...stored, newSlug: slug, logo: logoKey ?? logoUrl }, change);
}

function toEventColumns({ newSlug, logo, ...otherFields }: EventChangeInput) {
  return {
    ...otherFields,
    ...(newSlug === undefined ? {} : { slug: newSlug }),
    ...(logo === undefined ? {} : { logoUrl: logo, logoKey: null, logoType: null, logoSize: null }),
  };
}

/** Rethrows an error; that of a taken slug names the field. @throws AppError SLUG_TAKEN */
export function refuseTakenEventSlug(error: unknown, field: string): never {
  if (isUniqueViolation(error, "slug")) {
    throw new AppError("SLUG_TAKEN", "slugTakenByEvent", {}, { field });
  }
  throw error;
}
