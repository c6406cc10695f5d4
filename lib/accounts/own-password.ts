import type { Call } from "#lib/api/operation.ts";
import { db } from "#lib/db.ts";
import { InvalidInput } from "#lib/errors.ts";
import { laneOfUser } from "#lib/accounts/hash-pool.ts";
import { findByPassword } from "#lib/accounts/passwords.ts";
import { countFailure, reserveAttempt, takeAttemptBack } from "#lib/accounts/sign-in-delay.ts";
import type { Actor } from "#lib/policy.ts";

/**
 * Looks at the password of who is signed in, for what a stolen session must not be enough for. Wrong ones slow
 * down the next attempt as at sign-in.
 * @param field the name of the input, for the message
 * @returns the hash that it fits, so that the statement that writes can see that it is still the one
 * @throws InvalidInput for a wrong one; AppError RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function mustKnowPassword(
  { actor, call }: { actor: Actor; call: Call },
  password: string,
  field: string,
): Promise<string> {
  await reserveAttempt(actor.email, call.address);
  const find = () => db.user.findUnique({ where: { id: actor.id }, select: { passwordHash: true } });
  const found = await findByPassword(password, find, laneOfUser(actor.id)).catch(async (error: unknown) => {
    await takeAttemptBack(actor.email, call.address);
    throw error;
  });
  if (!found) {
    await countFailure(actor.email, call.address);
    throw new InvalidInput({ [field]: "is not your password" });
  }
  await takeAttemptBack(actor.email, call.address);
  return found.passwordHash;
}
