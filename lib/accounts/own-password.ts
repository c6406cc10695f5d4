import type { Call } from "#lib/api/operation.ts";
import { db } from "#lib/db.ts";
import { InvalidInput, unauthenticated } from "#lib/errors.ts";
import { passwordMatches } from "#lib/accounts/passwords.ts";
import { countFailure, reserveAttempt, takeAttemptBack } from "#lib/accounts/sign-in-delay.ts";
import type { Actor } from "#lib/policy.ts";

/**
 * Looks at the password of who is signed in, for what a stolen session must not be enough for. Wrong ones slow
 * down the next attempt as at sign-in.
 * @param field the name of the input, for the message
 * @returns the hash that it fits, so that the statement that writes can see that it is still the one
 * @throws InvalidInput for a wrong one; AppError RATE_LIMITED
 */
export async function mustKnowPassword(
  { actor, call }: { actor: Actor; call: Call },
  password: string,
  field: string,
): Promise<string> {
  await reserveAttempt(actor.email, call.address);
  const user = await db.user.findUnique({ where: { id: actor.id }, select: { passwordHash: true } });
  if (!user) throw unauthenticated();
  if (!(await passwordMatches(password, user.passwordHash))) {
    await countFailure(actor.email, call.address);
    throw new InvalidInput({ [field]: "is not your password" });
  }
  await takeAttemptBack(actor.email, call.address);
  return user.passwordHash;
}
