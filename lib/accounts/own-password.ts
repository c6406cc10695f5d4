import { db } from "#lib/db.ts";
import { InvalidInput } from "#lib/errors.ts";
import { laneOfUser } from "#lib/accounts/hash-pool.ts";
import { findByPassword } from "#lib/accounts/passwords.ts";
import {
  counterOfSession,
  countFailure,
  reserveAttempt,
  takeAttemptBack,
} from "#lib/accounts/sign-in-delay.ts";
import type { Actor } from "#lib/policy.ts";

/**
 * Looks at the password of who is signed in, for what a stolen session must not be enough for. Wrong ones slow
 * down the next attempt in the same session, as at sign-in; nobody else's do.
 * @param field the name of the input, for the message
 * @returns the hash that it fits, so that the statement that writes can see that it is still the one
 * @throws InvalidInput for a wrong one; AppError RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function mustKnowPassword(
  { actor }: { actor: Actor },
  password: string,
  field: string,
): Promise<string> {
  const attempt = await reserveAttempt(counterOfSession(actor.sessionId), password);
  const find = () => db.user.findUnique({ where: { id: actor.id }, select: { passwordHash: true } });
  const found = await findByPassword(password, find, laneOfUser(actor.id)).catch(async (error: unknown) => {
    await takeAttemptBack(attempt);
    throw error;
  });
  if (!found) {
    await countFailure(attempt);
    throw new InvalidInput({ [field]: "is not your password" });
  }
  await takeAttemptBack(attempt);
  return found.passwordHash;
}
