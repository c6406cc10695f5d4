import { sealData, unsealData } from "iron-session";
import { z } from "zod";
import type { SessionCookie } from "#lib/accounts/sessions.ts";
import { deriveCookieKeys } from "#lib/crypto/keyed-hash.ts";
import { env } from "#lib/env.ts";

/**
 * The cookie of an opened mailbox, sealed and kept nowhere else: no row says that, or when, a reporter came back. It
 * ends after 30 minutes, and at once when the mailbox is closed.
 */

export const MAILBOX_SESSION_SECONDS = 30 * 60;

const MailboxSession = z.object({
  incidentId: z.uuid(),
  /** The receipt's words, until the reporter confirms that they saved them. */
  receipt: z.string().optional(),
  /** The report was just sent on this device, and its mailbox hasn't been opened with the receipt. */
  fresh: z.literal(true).optional(),
  /** The reporter has downloaded, printed or copied the words. */
  saved: z.literal(true).optional(),
});
export type MailboxSession = z.infer<typeof MailboxSession>;

export const getMailboxCookieName = (): string => (env().https ? "__Host-mailbox" : "mailbox");

/** Returns the cookie of an opened mailbox. */
export async function sealMailboxCookie(session: MailboxSession): Promise<SessionCookie> {
  const [password] = deriveCookieKeys("mailbox") as [string];
  const value = await sealData({ m: session }, { password, ttl: MAILBOX_SESSION_SECONDS });
  return { name: getMailboxCookieName(), value, maxAge: MAILBOX_SESSION_SECONDS, secure: env().https };
}

/** Returns the cookie for the device that has just sent the report: it shows the words, and nothing is stored. */
export const sealNewMailboxCookie = (incidentId: string, receipt: string): Promise<SessionCookie> =>
  sealMailboxCookie({ incidentId, receipt, fresh: true });

/** Returns a cookie that leaves the mailbox on this device. */
export const createExpiredMailboxCookie = (): SessionCookie => ({
  name: getMailboxCookieName(),
  value: "",
  maxAge: 0,
  secure: env().https,
});

/** Returns what the cookie holds; null for one that isn't ours, is malformed or has expired. */
export async function unsealMailboxCookie(value: string | null | undefined): Promise<MailboxSession | null> {
  if (!value || value.length > 2000) return null;
  for (const password of deriveCookieKeys("mailbox")) {
    try {
      const { m } = await unsealData<{ m?: unknown }>(value, { password, ttl: MAILBOX_SESSION_SECONDS });
      const opened = MailboxSession.safeParse(m);
      if (opened.success) return opened.data;
    } catch {
      // iron-session throws on some malformed seals.
    }
  }
  return null;
}
