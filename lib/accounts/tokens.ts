import { randomBytes } from "node:crypto";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import type { NewApiTokenInput } from "#lib/accounts/schema.ts";
import { assertPasswordUnchangedAndLockPersonRow } from "#lib/accounts/person-lock.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import {
  getEventRolesOfActor,
  hasWithheldRole,
  hasSystemAdminAccessToEvent,
  createDenialError,
  type Actor,
  type PermissionSubject,
} from "#lib/operation/policy.ts";

/** Personal API tokens. Only their SHA-256 is stored; a token is shown once. */

export type OwnAccountContext = OperationContext<PermissionSubject, Actor>;

const TOKEN_PREFIX = "heed_";

/**
 * Returns whether a text has the format of an API token. The prefix names Heed, also for scanners that look for
 * leaked tokens.
 */
export const hasApiTokenFormat = (text: string | undefined): text is string =>
  text !== undefined && /^heed_[A-Za-z0-9_-]{43}$/.test(text);

const MAX_TOKENS_PER_USER = 100;
const DAY_MS = 86_400_000;

/**
 * Creates a token, and notifies its owner by mail. Requires the password: a token lasts longer than the session that
 * made it.
 * @returns its id, and the token itself, which is stored nowhere
 * @throws InvalidInputError for a wrong password; AppError RATE_LIMITED, NOT_FOUND for an event or organization that
 *   the person has no access to, SECOND_FACTOR_REQUIRED, CONFLICT with too many tokens
 */
export async function createToken(
  context: OwnAccountContext,
  input: NewApiTokenInput,
): Promise<{ id: string; token: string }> {
  const { actor } = context;
  const userId = actor.id;
  const { name, scope, eventId, organizationId, expiresInDays } = input;
  const currentHash = await verifyPasswordAndApiTokenRights(context, input);
  const token = TOKEN_PREFIX + randomBytes(32).toString("base64url");
  return runTransaction(async (tx) => {
    // Serializes the creations of one person, so that the count stays true until the commit.
    await assertPasswordUnchangedAndLockPersonRow(tx, userId, currentHash);
    if ((await tx.apiToken.count({ where: { userId } })) >= MAX_TOKENS_PER_USER)
      throw new AppError("CONFLICT", "tooManyTokens", { max: MAX_TOKENS_PER_USER });
    const expiresAt = new Date(Date.now() + expiresInDays * DAY_MS);
    const tokenHash = hashToken(token);
    const { id } = await tx.apiToken.create({
      data: { userId, name, tokenHash, scope, eventId, organizationId, expiresAt },
      select: { id: true },
    });
    await enqueueJob(tx, "mail.notice", { userId, kind: "tokenCreated" });
    const data = { scope, eventId, organizationId, expiresInDays };
    await appendAuditEntry(tx, buildAuditEntry(context, "account.createToken", { type: "token", id }, data));
    return { id, token };
  });
}

/**
 * Checks what creating a token requires: the password, and access to the token's event or organization. A replay of
 * the stored response requires the same, since the response contains the token.
 * @returns the hash of the password
 * @throws what `createToken` does
 */
export async function verifyPasswordAndApiTokenRights(
  context: OwnAccountContext,
  { currentPassword, eventId, organizationId }: NewApiTokenInput,
): Promise<string> {
  const currentHash = await verifyCurrentPassword(context, currentPassword);
  if (eventId) await assertTokenEventAccess(context.actor, eventId);
  if (organizationId) assertOrganizationRole(context.actor, organizationId);
  return currentHash;
}

async function assertTokenEventAccess(actor: Actor, eventId: string): Promise<void> {
  if (getEventRolesOfActor(actor, eventId).length > 0) return;
  if (
    hasSystemAdminAccessToEvent(actor, eventId) &&
    (await prisma.event.count({ where: { id: eventId } })) > 0
  )
    return;
  throw hasWithheldRole(actor, { eventId })
    ? createDenialError(actor, { eventId })
    : createNotFoundError("event");
}

/**
 * Checks that the actor has a role in the organization or in one of its events. Being a SystemAdmin isn't enough: the
 * token acts with such roles only.
 * @throws AppError NOT_FOUND, or the reason why a role is withheld
 */
function assertOrganizationRole(actor: Actor, organizationId: string): void {
  const hasRole = [...actor.organizations, ...actor.events].some(
    (role) => role.organizationId === organizationId,
  );
  if (hasRole) return;
  const place = { organizationId };
  throw hasWithheldRole(actor, place) ? createDenialError(actor, place) : createNotFoundError("organization");
}

/** Revokes a token at once. @throws AppError NOT_FOUND, also for someone else's token */
export async function revokeOwnApiToken(context: OwnAccountContext, id: string): Promise<void> {
  await runTransaction(async (tx) => {
    const { count } = await tx.apiToken.deleteMany({ where: { id, userId: context.actor.id } });
    if (count === 0) throw createNotFoundError("token");
    await appendAuditEntry(tx, buildAuditEntry(context, "account.removeToken", { type: "token", id }));
  });
}

/** Returns whether an API token has expired and is still in its owner's list. */
export async function isExpiredApiToken(token: string): Promise<boolean> {
  const where = { tokenHash: hashToken(token), expiresAt: { lte: new Date() } };
  return (await prisma.apiToken.count({ where })) > 0;
}
