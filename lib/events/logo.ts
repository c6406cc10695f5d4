import { type OperationContext, type PathParams, createContainerScope } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { assertAndLockEventAdmin } from "#lib/events/roles.ts";
import { EVENT_COLUMNS, toEventRecord, type EventRecord } from "#lib/events/schema.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import type { StoredLogo } from "#lib/files/logo.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { parsePathIdOrNilUuid, parsePathSlugOrPlaceholder } from "#lib/operation/path-params.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** The logo of an event (contract 9.4). */

/**
 * Sets an uploaded file as the event's logo, in place of the previous file or external URL. Enqueues the removal of the
 * previous file and appends an audit entry.
 * @throws AppError FORBIDDEN, NOT_FOUND
 */
export async function saveEventLogo(
  context: OperationContext<EventPermissionSubject, Actor>,
  { key, type, size }: StoredLogo,
): Promise<EventRecord> {
  const { eventId, actor } = context;
  return runTransaction(async (tx) => {
    await assertAndLockEventAdmin(tx, actor, eventId);
    const before = await lockRow(tx, { table: "events", id: eventId }, ["logoKey"]);
    if (!before) throw createNotFoundError("event");
    const data = { logoUrl: null, logoKey: key, logoType: type, logoSize: size };
    const row = await tx.event.update({ where: { id: eventId }, data, select: EVENT_COLUMNS });
    if (before.logoKey) await enqueueJob(tx, "files.remove", { keys: [before.logoKey] });
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "event.changeLogo", { type: "event", id: eventId }, { type, size }),
    );
    return toEventRecord(row);
  });
}

/**
 * An event's uploaded logo, by id or slug. A missing event and a missing logo give the same response. A logo at an
 * external URL is never fetched, and nobody is redirected there.
 */
export const eventLogoScope = createContainerScope(async (params: PathParams) => {
  const { eventId: id, slug } = params;
  const where =
    id === undefined ? { slug: parsePathSlugOrPlaceholder(slug) } : { id: parsePathIdOrNilUuid(id) };
  const select = { id: true, organizationId: true, logoKey: true, logoType: true };
  const row = await prisma.event.findUnique({ where, select });
  if (!row?.logoKey || !row.logoType) throw createNotFoundError("logo");
  return {
    eventId: row.id,
    organizationId: row.organizationId,
    key: row.logoKey,
    type: row.logoType,
  };
});
