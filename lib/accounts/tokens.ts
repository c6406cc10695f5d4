import { randomBytes } from "node:crypto";
import type { Context } from "#lib/operation/operation.ts";
import type { Action } from "#lib/audit/actions.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction } from "#lib/database/client.ts";
import { AppError, notFound } from "#lib/operation/errors.ts";
import type { NewToken } from "#lib/accounts/schema.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import {
  eventRolesOf,
  isWithheld,
  passesIn,
  refusal,
  type Actor,
  type Subject,
} from "#lib/operation/policy.ts";

/** API tokens: personal, for programs. Only their SHA-256 is stored; they are shown once. */

type Doing = Context<Subject, Actor>;

const PREFIX = "heed_";

/** Could it be one of ours? Its name says where it came from, also to those who look for leaked ones. */
export const isToken = (text: string | undefined): text is string =>
  text !== undefined && /^heed_[A-Za-z0-9_-]{43}$/.test(text);

/** Tokens that one person may have. */
const MOST = 100;

/**
 * Makes a token.
 * @returns its id, and the token itself, which is nowhere else
 * @throws AppError NOT_FOUND for an event that they may not enter, SECOND_FACTOR_REQUIRED, CONFLICT with too many
 */
export async function createToken(doing: Doing, wanted: NewToken): Promise<{ id: string; token: string }> {
  const { actor } = doing;
  const { name, scope, eventId, expiresInDays } = wanted;
  if (eventId) await mustEnter(actor, eventId);
  const token = PREFIX + randomBytes(32).toString("base64url");
  return transaction(async (tx) => {
    const [made] = await tx.$queryRaw<{ id: string }[]>`
      insert into api_tokens (user_id, name, token_hash, scope, event_id, expires_at)
      select ${actor.id}::uuid, ${name}, ${hashToken(token)}, ${scope}::token_scope, ${eventId}::uuid,
        now() + make_interval(hours => 24 * ${expiresInDays}::int)
      where (select count(*) from api_tokens where user_id = ${actor.id}::uuid) < ${MOST}::int
      returning id`;
    if (!made) throw new AppError("CONFLICT", "You have too many tokens.", "Remove those you don't use.");
    const data = { scope, eventId, expiresInDays };
    await audit(tx, { ...deed(doing, "account.createToken", made.id), data });
    return { id: made.id, token };
  });
}

async function mustEnter(actor: Actor, eventId: string): Promise<void> {
  if (eventRolesOf(actor, eventId).length > 0) return;
  if (passesIn(actor, eventId) && (await db.event.count({ where: { id: eventId } })) > 0) return;
  throw isWithheld(actor, { eventId }) ? refusal(actor, { eventId }) : notFound("This event");
}

/** Ends a token at once. @throws AppError NOT_FOUND also for somebody else's */
export async function removeToken(doing: Doing, id: string): Promise<void> {
  await transaction(async (tx) => {
    const { count } = await tx.apiToken.deleteMany({ where: { id, userId: doing.actor.id } });
    if (count === 0) throw notFound("This token");
    await audit(tx, deed(doing, "account.removeToken", id));
  });
}

const deed = ({ actor, right, call }: Doing, action: Action, id: string) => ({
  action,
  actorId: actor.id,
  right,
  object: { type: "token", id },
  requestId: call.requestId,
});
