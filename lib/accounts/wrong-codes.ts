import type { AttemptCounter } from "#lib/accounts/sign-in-delay.ts";
import { consumeAccountLimit, assertAccountLimitLeft } from "#lib/rate-limits/rate-limits.ts";

/**
 * Wrong codes of a second factor count by the hour, wherever they come from: whoever tries them has the password
 * already. A device that signed in before, and a session, count by themselves, so that somebody who found out the
 * password, and nothing more, can't shut out the owner.
 */

/** @param counter the counter of the device or the session, where there is one */
export const wrongCodeLimitKey = (userId: string, counter: AttemptCounter | null): string =>
  counter ? `${counter.key}|code` : `${userId}|code`;

/** @throws AppError RATE_LIMITED */
export const countWrongCode = (limitKey: string): Promise<void> => consumeAccountLimit("wrongCode", limitKey);

/** @throws AppError RATE_LIMITED when too many codes were wrong within the hour */
export const refuseTooManyWrongCodes = (limitKey: string): Promise<void> =>
  assertAccountLimitLeft("wrongCode", limitKey);
