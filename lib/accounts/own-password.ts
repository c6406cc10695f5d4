import { prisma } from "#lib/database/client.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { findRecordIfPasswordMatches } from "#lib/accounts/passwords.ts";
import {
  buildAccountIpPasswordAttemptCounterKey,
  buildSessionPasswordAttemptCounterKey,
  delayNextPasswordAttempt,
  countPasswordAttemptAndWait,
  uncountPasswordAttempt,
  type PasswordAttemptCounterKey,
} from "#lib/accounts/sign-in-delay.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * Checks the current password, for actions that a stolen session must not be enough for. Wrong passwords delay
 * further attempts in the same session, as they do at sign-in; attempts in other sessions aren't delayed.
 * @returns the hash that the password matches, so that the statement that writes can check that it is still current
 * @throws InvalidInputError for a wrong password; AppError RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function verifyCurrentPassword({ actor }: { actor: Actor }, password: string): Promise<string> {
  return verifyPasswordAttempt(password, "currentPassword", {
    userId: actor.id,
    counter: buildSessionPasswordAttemptCounterKey(actor.sessionId),
    lane: createLaneForUser(actor.id),
  });
}

/**
 * Checks the password of an account for a caller without a session of that account. Wrong passwords count as failed
 * sign-ins from the caller's IP address. Returns and throws the same as `verifyCurrentPassword`.
 */
export async function verifyPasswordWithoutSession(
  { userId, email, address }: { userId: string; email: string; address: string },
  password: string,
): Promise<string> {
  return verifyPasswordAttempt(password, "password", {
    userId,
    counter: buildAccountIpPasswordAttemptCounterKey(email, address),
    lane: createLaneForAddress(address),
  });
}

type PasswordAttempt = {
  userId: string;
  counter: PasswordAttemptCounterKey;
  lane: Parameters<typeof findRecordIfPasswordMatches>[2];
};

async function verifyPasswordAttempt(
  password: string,
  field: string,
  { userId, counter, lane }: PasswordAttempt,
): Promise<string> {
  const attempt = await countPasswordAttemptAndWait(counter, password);
  const find = () => prisma.user.findUnique({ where: { id: userId }, select: { passwordHash: true } });
  const found = await findRecordIfPasswordMatches(password, find, lane).catch(async (error: unknown) => {
    await uncountPasswordAttempt(attempt);
    throw error;
  });
  if (!found) {
    await delayNextPasswordAttempt(attempt);
    throw new InvalidInputError({ [field]: createFieldProblem("wrongPassword") });
  }
  await uncountPasswordAttempt(attempt);
  return found.passwordHash;
}
