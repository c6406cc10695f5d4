import { randomBytes } from "node:crypto";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { AppError, notFound } from "#lib/operation/errors.ts";
import type { NewApiToken } from "#lib/accounts/schema.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import {
  eventRolesOf,
  isWithheld,
  hasSystemAccessTo,
  createDenialError,
  type Actor,
  type Subject,
} from "#lib/operation/policy.ts";

/** Personal API tokens. Only their SHA-256 is stored; a token is shown once. */

type ActorContext = OperationContext<Subject, Actor>;

const TOKEN_PREFIX = "heed_";

/**
 * Returns whether a text has the format of an API token. The prefix names Heed, also for scanners that look for
 * leaked tokens.
 */
export const isApiToken = (text: string | undefined): text is string =>
  text !== undefined && /^heed_[A-Za-z0-9_-]{43}$/.test(text);

const MAX_TOKENS_PER_USER = 100;

/**
 * Creates a token.
 * @returns its id, and the token itself, which is stored nowhere
 * @throws AppError NOT_FOUND for an event that the person has no access to, SECOND_FACTOR_REQUIRED, CONFLICT with
 *   too many tokens
 */
export async function createToken(
  context: ActorContext,
  input: NewApiToken,
): Promise<{ id: string; token: string }> {
  const { actor } = context;
  const { name, scope, eventId, expiresInDays } = input;
  if (eventId) await requireEventAccess(actor, eventId);
  const token = TOKEN_PREFIX + randomBytes(32).toString("base64url");
  return runTransaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ id: string }[]>`
      insert into api_tokens (user_id, name, token_hash, scope, event_id, expires_at)
      select ${actor.id}::uuid, ${name}, ${hashToken(token)}, ${scope}::token_scope, ${eventId}::uuid,
        now() + make_interval(hours => 24 * ${expiresInDays}::int)
      where (select count(*) from api_tokens where user_id = ${actor.id}::uuid) < ${MAX_TOKENS_PER_USER}::int
      returning id`;
    if (!row) throw new AppError("CONFLICT", "You have too many tokens.", "Delete the ones you don't use.");
    const data = { scope, eventId, expiresInDays };
    await appendAuditEntry(tx, { ...auditEntryForToken(context, "account.createToken", row.id), data });
    return { id: row.id, token };
  });
}

async function requireEventAccess(actor: Actor, eventId: string): Promise<void> {
  if (eventRolesOf(actor, eventId).length > 0) return;
  if (hasSystemAccessTo(actor, eventId) && (await prisma.event.count({ where: { id: eventId } })) > 0) return;
  throw isWithheld(actor, { eventId }) ? createDenialError(actor, { eventId }) : notFound("This event");
}

/** Revokes a token at once. @throws AppError NOT_FOUND, also for someone else's token */
export async function revokeToken(context: ActorContext, id: string): Promise<void> {
  await runTransaction(async (tx) => {
    const { count } = await tx.apiToken.deleteMany({ where: { id, userId: context.actor.id } });
    if (count === 0) throw notFound("This token");
    await appendAuditEntry(tx, auditEntryForToken(context, "account.removeToken", id));
  });
}

const auditEntryForToken = ({ actor, right, call }: ActorContext, action: AuditAction, id: string) => ({
  action,
  actorId: actor.id,
  right,
  object: { type: "token", id },
  requestId: call.requestId,
});
