import type { AttemptCounter } from "#lib/accounts/sign-in-delay.ts";
import { countForAccount, refuseIfSpent } from "#lib/rate-limits/rate-limits.ts";

/**
 * Wrong codes of a second factor count by the hour, wherever they come from: whoever tries them has the password
 * already. A device that signed in before, and a session, count by themselves, so that somebody who found out the
 * password, and nothing more, can't shut out the owner.
 */

/** @param own the counter of the device or the session, where there is one */
export const codesOf = (userId: string, own: AttemptCounter | null): string =>
  own ? `${own.key}|code` : `${userId}|code`;

/** @throws AppError RATE_LIMITED */
export const countWrongCode = (codes: string): Promise<void> => countForAccount("wrongCode", codes);

/** @throws AppError RATE_LIMITED when too many codes were wrong within the hour */
export const refuseIfCodesAreSpent = (codes: string): Promise<void> => refuseIfSpent("wrongCode", codes);
