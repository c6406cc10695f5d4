import { z } from "zod";
import type { CookieToSet } from "#lib/accounts/sessions.ts";
import { hashReceipt } from "#lib/crypto/receipt.ts";
import { defineSealedCookie } from "#lib/crypto/sealed-cookie.ts";

/**
 * The cookie of an opened mailbox, sealed and kept nowhere else: no row says that, or when, somebody came back. It ends 30
 * minutes after it was opened, whatever is done with it, and at once when the mailbox is closed or gets new words.
 */

const MAILBOX_SESSION_SECONDS = 30 * 60;

const MailboxSession = z.object({
  conversationId: z.uuid(),
  /** Hash of the words that opened it, in base64url. */
  wordsHash: z.string(),
  /** When it ends, in milliseconds: a cookie that is sealed again with another content ends no later. */
  endsAt: z.number().optional(),
  /** The words, on the device that has just sent the report, until its reporter confirms that they saved them. */
  receipt: z.string().optional(),
  /** A team member's device shows the words to the reporter until then, in milliseconds, and opens nothing else. */
  handOverUntil: z.number().optional(),
  /** The reporter has downloaded, printed or copied the words. */
  saved: z.literal(true).optional(),
});
export type MailboxSession = z.infer<typeof MailboxSession>;

const mailboxCookie = defineSealedCookie(
  { name: "mailbox", member: "m", seconds: MAILBOX_SESSION_SECONDS },
  MailboxSession,
);

export const getMailboxCookieName = mailboxCookie.getName;

/**
 * Returns the cookie of an opened mailbox. A session that was opened before keeps its end; a new one lasts
 * MAILBOX_SESSION_SECONDS.
 */
export async function sealMailboxCookie(session: MailboxSession): Promise<CookieToSet> {
  const now = Date.now();
  const { endsAt = now + MAILBOX_SESSION_SECONDS * 1000 } = session;
  const cookie = await mailboxCookie.seal({ ...session, endsAt });
  return { ...cookie, maxAge: Math.max(1, Math.ceil((endsAt - now) / 1000)) };
}

/** Seals the cookie for the device that has just sent the report: it shows the words, and nothing is stored. */
export const sealSubmittedReportMailboxCookie = (incidentId: string, receipt: string): Promise<CookieToSet> =>
  sealMailboxCookie({ ...describeOpened(incidentId, receipt), receipt });

const HAND_OVER_MS = 10 * 60_000;

/** Seals the cookie for the device of a team member, which shows the words to the reporter and then forgets them. */
export const sealReceiptHandOverCookie = (incidentId: string, receipt: string): Promise<CookieToSet> =>
  sealMailboxCookie({
    ...describeOpened(incidentId, receipt),
    receipt,
    handOverUntil: Date.now() + HAND_OVER_MS,
  });

/** The part of a session that says which conversation was opened, and with which words. */
export const describeOpened = (
  conversationId: string,
  words: string,
): Pick<MailboxSession, "conversationId" | "wordsHash"> => ({
  conversationId,
  wordsHash: Buffer.from(hashReceipt(words)).toString("base64url"),
});

/** Returns a cookie that leaves the mailbox on this device. */
export const createExpiredMailboxCookie = (): CookieToSet => mailboxCookie.createExpired();

/** Returns what the cookie holds; null for one that isn't ours, is malformed or has expired. */
export async function unsealMailboxCookie(value: string | null | undefined): Promise<MailboxSession | null> {
  const session = await mailboxCookie.unseal(value);
  return session && !hasExpired(session) ? session : null;
}

const hasExpired = ({ handOverUntil = Infinity, endsAt = Infinity }: MailboxSession): boolean =>
  Math.min(handOverUntil, endsAt) < Date.now();
