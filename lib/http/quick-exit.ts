import { createSignOutCookies, type CookieToSet } from "#lib/accounts/sessions.ts";
import { QUICK_EXIT_COOKIE } from "#lib/design/quick-exit-cookie.ts";
import { env } from "#lib/env.ts";
import { getMailboxCookieName } from "#lib/incidents/mailbox-session.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { createExpiredDeviceCookie } from "#lib/rate-limits/device-cookie.ts";

/**
 * A device on which somebody used the quick exit. Until something is opened on it again, it counts as signed out and
 * with nothing open, even if the request that ends the session never arrives (docs/decisions/023).
 */

/** Reads a cookie of the request by its name. */
type CookieReader = (name: string) => string | undefined;

/** A cookie that was removed in this response is blank. */
export const hasUsedQuickExit = (readCookie: CookieReader): boolean => Boolean(readCookie(QUICK_EXIT_COOKIE));

/** Reads the cookie of the mailbox that is open on this device; null after the quick exit. */
export const readMailboxCookie = (readCookie: CookieReader): Pick<OperationCall, "mailbox"> => ({
  mailbox: hasUsedQuickExit(readCookie) ? null : (readCookie(getMailboxCookieName()) ?? null),
});

/**
 * Creates the cookies to set before one that signs in or opens something: they end the quick exit, and remove whatever
 * was open before it, which would be open again otherwise.
 */
export const createCookiesEndingQuickExit = (): CookieToSet[] => [
  { name: QUICK_EXIT_COOKIE, value: "", maxAge: 0, secure: env().https },
  ...createSignOutCookies(),
];

const QUICK_EXIT_COOKIE_SECONDS = 24 * 3600;

/**
 * Creates the cookies of the quick exit. They are set even if the session can't be ended now, since the person has
 * left the device by then. Other tabs, too, find out by the one that script can read.
 */
export const createQuickExitCookies = (): CookieToSet[] => [
  ...createSignOutCookies(),
  createExpiredDeviceCookie(),
  {
    name: QUICK_EXIT_COOKIE,
    value: "1",
    maxAge: QUICK_EXIT_COOKIE_SECONDS,
    secure: env().https,
    readableByScript: true,
  },
];
