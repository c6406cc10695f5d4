import { buildOutboxEvent } from "#lib/jobs/outbox-events.ts";
import { clearReadersOfDeletedIncidentsSql } from "#lib/access/readers-sql.ts";
import { assertAndLockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { appendAuditEntry, buildAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import { recordErasure } from "#lib/erasures/ledger.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow, lockRows } from "#lib/database/row-lock.ts";
import { AppError, isUniqueViolation, createNotFoundError } from "#lib/operation/errors.ts";
import { buildInviteLink, generateInviteCode } from "#lib/crypto/random-code.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { assertAndLockOrganizationAdmin, type OrganizationContext } from "#lib/organizations/members.ts";
import { toOrganizationRecord, ORGANIZATION_COLUMNS } from "#lib/organizations/schema.ts";
import type {
  NewOrganizationInput,
  OrganizationChangeInput,
  OrganizationRecord,
} from "#lib/organizations/schema.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";

/**
 * Creates an organization and the single-use invite for its first org_admin. The creator becomes an org_admin only if
 * they say so (contract 5.1).
 * @throws AppError SLUG_TAKEN
 */
export async function createOrganization(
  context: OperationContext<PermissionSubject, Actor>,
  { joinAsAdmin, ...newOrganization }: NewOrganizationInput,
): Promise<{ organization: OrganizationRecord; inviteLink: string }> {
  const firstInviteCode = generateInviteCode();
  const work = runTransaction(async (tx) => {
    await assertAndLockSystemAdmin(tx, context.actor);
    return insertOrganization(tx, context, { newOrganization, joinAsAdmin, firstInviteCode });
  });
  const organization = await work.catch((error: unknown) => refuseTakenOrganizationSlug(error, "slug"));
  return { organization, inviteLink: buildInviteLink(firstInviteCode) };
}

type OrganizationToInsert = {
  newOrganization: Omit<NewOrganizationInput, "joinAsAdmin">;
  joinAsAdmin: boolean;
  /** The code of the single-use invite for its first org_admin; null for none. */
  firstInviteCode: string | null;
};

/** Stores an organization and what comes with it. The caller has checked the right to, and refuses a taken slug. */
export async function insertOrganization(
  tx: Tx,
  context: OperationContext<PermissionSubject, Actor>,
  { newOrganization, joinAsAdmin, firstInviteCode: code }: OrganizationToInsert,
): Promise<OrganizationRecord> {
  const row = await tx.organization.create({ data: newOrganization, select: ORGANIZATION_COLUMNS });
  const terms = { role: "org_admin", initial: true, maxUses: 1, createdById: context.actor.id };
  const invite =
    code &&
    (await tx.invite.create({ data: { ...terms, organizationId: row.id, code }, select: { id: true } }));
  if (joinAsAdmin) await joinNewOrganization(tx, context.actor, row.id);
  await appendAuditEntry(
    tx,
    buildAuditEntry(
      { ...context, organizationId: row.id },
      "organization.create",
      { type: "organization", id: row.id },
      { ...(invite && { initialInviteId: invite.id }), joined: joinAsAdmin },
    ),
  );
  return toOrganizationRecord(row);
}

async function joinNewOrganization(tx: Tx, { id }: Actor, organizationId: string): Promise<void> {
  await tx.organizationMember.create({
    data: { organizationId, userId: id, role: "org_admin" },
    select: { userId: true },
  });
  const place = { actor: { id }, organizationId, eventId: null };
  const change = { personIds: [id], state: "org_admin" };
  await appendOutboxEvent(tx, buildOutboxEvent(place, "role.changed", change));
}

/**
 * Changes exactly the given fields. An admin who turns on the second-factor requirement must have a second factor, so
 * that they don't lock themselves out.
 * @throws AppError SECOND_FACTOR_REQUIRED; CONFLICT when `If-Match` names another `updatedAt` than the organization's
 */
export async function updateOrganization(
  context: OrganizationContext,
  change: OrganizationChangeInput,
): Promise<OrganizationRecord> {
  const { organizationId, actor, call } = context;
  return runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    assertIfMatch("settings", call, await lockOrganization(tx, organizationId));
    if (change.requireSecondFactor) await assertOwnSecondFactor(tx, actor.id);
    const where = { id: organizationId };
    const stored = await tx.organization.findUniqueOrThrow({ where, select: ORGANIZATION_COLUMNS });
    const fields = listChangedFields(stored, change);
    if (fields.length === 0) return toOrganizationRecord(stored);
    const row = await tx.organization.update({ where, data: change, select: ORGANIZATION_COLUMNS });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "organization.update",
        { type: "organization", id: organizationId },
        {
          fields,
          ...(fields.includes("requireSecondFactor") && { requireSecondFactor: row.requireSecondFactor }),
          ...(fields.includes("conflictCheck") && { conflictCheck: row.conflictCheck }),
        },
      ),
    );
    return toOrganizationRecord(row);
  });
}

async function lockOrganization(tx: Tx, organizationId: string): Promise<Date> {
  const row = await lockRow(tx, { table: "organizations", id: organizationId }, ["updatedAt"]);
  if (!row) throw createNotFoundError("organization");
  return row.updatedAt;
}

async function assertOwnSecondFactor(tx: Tx, userId: string): Promise<void> {
  const lock = { table: "second_factors", where: { userId }, strength: "share" } as const;
  const [factor] = await lockRows(tx, lock, ["confirmedAt"]);
  if (!factor?.confirmedAt) throw new AppError("SECOND_FACTOR_REQUIRED", "ownSecondFactorFirst");
}

/**
 * Deletes the organization with every row and file that it owns (contract 5.4). Jobs that commit with the deletion
 * remove the files afterwards. The organization's audit chain stays; the entry of the deletion is in the system's
 * chain and records the final head, so that no one can shorten the chain later.
 * @throws AppError NOT_FOUND when the organization is gone already
 */
export async function deleteOrganization({
  organizationId,
  actor,
  right,
  call,
}: OrganizationContext): Promise<void> {
  await runTransaction(async (tx) => {
    await assertAndLockSystemAdmin(tx, actor);
    await deleteOrganizationAndRecordErasure(tx, organizationId, {
      actorId: actor.id,
      right,
      requestId: call.requestId,
    });
  });
}

/**
 * Deletes an organization, and records the erasure, so that a restored backup doesn't bring it back.
 * @throws AppError NOT_FOUND when the organization is gone already
 */
export async function deleteOrganizationAndRecordErasure(
  tx: Tx,
  organizationId: string,
  by: Pick<AuditEntryInput, "actorId" | "right" | "requestId">,
): Promise<void> {
  const keys = await deleteFileRows(tx, organizationId);
  await tx.organization.delete({ where: { id: organizationId }, select: { id: true } });
  // Runs after the deletion, which waits for transactions that are writing readers, so that no reason is missed.
  await tx.$executeRaw(clearReadersOfDeletedIncidentsSql());
  for (let start = 0; start < keys.length; start += MAX_FILES_PER_JOB) {
    await enqueueJob(tx, "files.remove", { keys: keys.slice(start, start + MAX_FILES_PER_JOB) });
  }
  await recordErasure(tx, "organization", organizationId);
  await appendAuditEntry(tx, {
    action: "organization.delete",
    ...by,
    object: { type: "organization", id: organizationId },
    data: { organizationId },
  });
}

const MAX_FILES_PER_JOB = 1000;

/**
 * Deletes the file rows of the organization and returns the storage keys of all its files. Locks the organization and
 * its events first, so that no report can arrive between this and the deletion.
 */
async function deleteFileRows(tx: Tx, organizationId: string): Promise<string[]> {
  const own = await lockRow(tx, { table: "organizations", id: organizationId, strength: "update" }, [
    "logoKey",
  ]);
  if (!own) throw createNotFoundError("organization");
  const events = { table: "events", where: { organizationId }, strength: "update" } as const;
  const logos = await lockRows(tx, events, ["logoKey"]);
  const where = { incident: { event: { organizationId } } };
  const files = await tx.relatedFile.findMany({ where, select: { storageKey: true, originalKey: true } });
  await tx.relatedFile.deleteMany({ where });
  const keys = files.flatMap(({ storageKey, originalKey }) => [storageKey, originalKey]);
  return [own.logoKey, ...logos.map(({ logoKey }) => logoKey), ...keys].filter((key) => key !== null);
}

/** Rethrows an error; that of a taken slug names the field. @throws AppError SLUG_TAKEN */
export function refuseTakenOrganizationSlug(error: unknown, field: string): never {
  if (isUniqueViolation(error, "slug")) {
    throw new AppError("SLUG_TAKEN", "slugTakenByOrganization", {}, { field });
  }
  throw error;
}
