import type { PasswordAttemptCounterKey } from "#lib/accounts/sign-in-delay.ts";
import { consumeAccountActionLimit, assertAccountLimitLeft } from "#lib/rate-limits/rate-limits.ts";

/**
 * Counts wrong codes of a second factor per hour and account, from all addresses: anyone who tries codes has the
 * password already. A device that signed in before and a session have counters of their own, so that someone who only
 * found out the password can't lock out the owner.
 */

/**
 * Builds the key under which an account's wrong codes are counted. @param counter the counter of the device or session,
 * where there is one
 */
export const buildWrongCodeLimitKey = (userId: string, counter: PasswordAttemptCounterKey | null): string =>
  counter ? `${counter.key}|code` : `${userId}|code`;

/** Counts a wrong code. @throws AppError RATE_LIMITED */
export const consumeWrongCodeLimit = (limitKey: string): Promise<void> =>
  consumeAccountActionLimit("wrongCode", limitKey);

/**
 * Refuses further codes for the account. @throws AppError RATE_LIMITED when too many codes were wrong within the hour
 */
export const assertWrongCodeLimitLeft = (limitKey: string): Promise<void> =>
  assertAccountLimitLeft("wrongCode", limitKey);
