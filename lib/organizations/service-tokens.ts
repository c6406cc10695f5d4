import { EVENT_ADMIN_ROLES } from "#lib/access/role-sets.ts";
import { computePageOffset } from "#lib/operation/fields.ts";
import { randomBytes } from "node:crypto";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow, lockRows } from "#lib/database/row-lock.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { assertPasswordUnchangedAndLockPersonRow } from "#lib/accounts/person-lock.ts";
import { SERVICE_TOKEN_PREFIX } from "#lib/accounts/service-token-actor.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import type {
  NewServiceTokenInput,
  ServiceTokenRecord,
  ServiceTokensQuery,
} from "#lib/organizations/schema.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import { can, isSystemAdmin, type SessionActor } from "#lib/operation/policy.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

/** Tokens of an organization (docs/decisions/057). Only their SHA-256 is stored; a token is shown once. */

type AdminContext = OperationContext<OrganizationPermissionSubject, SessionActor>;

const MAX_TOKENS_PER_ORGANIZATION = 100;

const TOKEN_COLUMNS = {
  id: true,
  name: true,
  scope: true,
  event: { select: { id: true, name: true, slug: true } },
  expiresAt: true,
  lastUsedAt: true,
  createdAt: true,
} as const;

/** Lists an organization's tokens, newest first: expired ones too, revoked ones not. */
export async function listServiceTokens(
  organizationId: string,
  { page, limit }: ServiceTokensQuery,
): Promise<{ tokens: ServiceTokenRecord[]; total: number }> {
  const where = { organizationId, revokedAt: null };
  const [tokens, total] = await Promise.all([
    prisma.serviceToken.findMany({
      where,
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
      skip: computePageOffset(page, limit),
      take: limit,
      select: TOKEN_COLUMNS,
    }),
    prisma.serviceToken.count({ where }),
  ]);
  return { tokens, total };
}

/**
 * Creates a token. Requires the password of whoever creates it.
 * @returns its record, and the token itself, which is stored nowhere
 * @throws InvalidInputError for a wrong password; AppError RATE_LIMITED, NOT_FOUND for an event that isn't the
 *   organization's, FORBIDDEN for incidents that the actor doesn't manage and when a role has been lost since,
 *   CONFLICT with too many tokens
 */
export async function createServiceToken(
  context: AdminContext,
  input: NewServiceTokenInput,
): Promise<{ token: string; serviceToken: ServiceTokenRecord }> {
  const { organizationId, actor } = context;
  const { name, scope, eventId, expiresInDays } = input;
  const currentHash = await verifyPasswordAndServiceTokenRights(context, input);
  const token = SERVICE_TOKEN_PREFIX + randomBytes(32).toString("base64url");
  return runTransaction(async (tx) => {
    // The comparison of the password takes a while, so it is checked again, like the roles.
    await assertPasswordUnchangedAndLockPersonRow(tx, actor.id, currentHash);
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    await assertAndLockReachableEvents(tx, context, input);
    await assertTokenLimit(tx, organizationId);
    const tokenHash = hashToken(token);
    const expiresAt = new Date(Date.now() + expiresInDays * DAY_MS);
    const data = { organizationId, eventId, name, tokenHash, scope, expiresAt };
    const serviceToken = await tx.serviceToken.create({ data, select: TOKEN_COLUMNS });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        { ...context, eventId },
        "serviceToken.create",
        { type: "serviceToken", id: serviceToken.id },
        { scope, eventId, expiresInDays },
      ),
    );
    return { token, serviceToken };
  });
}

/**
 * Checks what creating a service token requires: the password, and the right to open the events it covers. Returning a
 * stored response requires the same, since it contains the token.
 * @returns the hash of the password
 * @throws InvalidInputError for a wrong password; AppError RATE_LIMITED, NOT_FOUND, FORBIDDEN
 */
export async function verifyPasswordAndServiceTokenRights(
  context: AdminContext,
  input: NewServiceTokenInput,
): Promise<string> {
  const currentHash = await verifyCurrentPassword(context, input.currentPassword);
  await assertReachableEvents(context, input);
  return currentHash;
}

type TokenReach = Pick<NewServiceTokenInput, "scope" | "eventId">;

const reachesIncidents = ({ scope, eventId }: TokenReach): boolean => scope !== "export" || eventId !== null;

/**
 * An organization's role gives no access to incidents (contract 2.4), and no token may give it: whoever creates a token
 * that reads incidents is an Admin of each event that it covers. Exports of the organization are for all its members.
 */
async function assertReachableEvents(
  { actor, organizationId }: AdminContext,
  reach: TokenReach,
): Promise<void> {
  if (!reachesIncidents(reach)) return;
  const { eventId } = reach;
  const events = await prisma.event.findMany({
    where: { organizationId, ...(eventId === null ? {} : { id: eventId }) },
    select: { id: true },
  });
  if (eventId !== null && events.length === 0) throw createNotFoundError("event");
  const isManaged = ({ id }: { id: string }) =>
    can(actor, "event.openToServiceTokens", { organizationId, eventId: id });
  if (!events.every(isManaged)) throw createNeedsEventAdminError();
}

const createNeedsEventAdminError = () => new AppError("FORBIDDEN", "serviceTokenNeedsEventAdmin");

/**
 * Checks again, inside the transaction, that the actor is an Admin of each event that the token covers, and locks these
 * roles. That of a SystemAdmin is locked with their right to the organization. @throws AppError FORBIDDEN
 */
async function assertAndLockReachableEvents(
  tx: Tx,
  { actor, organizationId }: AdminContext,
  reach: TokenReach,
): Promise<void> {
  if (!reachesIncidents(reach) || isSystemAdmin(actor)) return;
  const events = await tx.event.findMany({
    where: { organizationId, ...(reach.eventId !== null && { id: reach.eventId }) },
    select: { id: true },
  });
  const where = { userId: actor.id, eventId: events.map(({ id }) => id) };
  const columns = ["eventId", "roleName"] as const;
  const held = await lockRows(tx, { table: "event_roles", where, strength: "share" }, columns);
  const managed = new Set(
    held.filter(({ roleName }) => EVENT_ADMIN_ROLES.includes(roleName)).map(({ eventId }) => eventId),
  );
  if (!events.every(({ id }) => managed.has(id))) throw createNeedsEventAdminError();
}

/** Locks the organization's row, so that the count stays true until the commit. */
async function assertTokenLimit(tx: Tx, organizationId: string): Promise<void> {
  if (!(await lockRow(tx, { table: "organizations", id: organizationId })))
    throw createNotFoundError("organization");
  const where = { organizationId, revokedAt: null };
  if ((await tx.serviceToken.count({ where })) >= MAX_TOKENS_PER_ORGANIZATION)
    throw new AppError("CONFLICT", "tooManyTokens", { max: MAX_TOKENS_PER_ORGANIZATION });
}

/**
 * Revokes a token at once. Its row stays, since the audit log and the access logs show its name. @throws AppError
 * NOT_FOUND, FORBIDDEN
 */
export async function revokeServiceToken(context: AdminContext & { tokenId: string }): Promise<void> {
  const { organizationId, tokenId: id, actor } = context;
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const { count } = await tx.serviceToken.updateMany({
      where: { id, organizationId, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    if (count === 0) throw createNotFoundError("token");
    await appendAuditEntry(tx, buildAuditEntry(context, "serviceToken.revoke", { type: "serviceToken", id }));
  });
}
