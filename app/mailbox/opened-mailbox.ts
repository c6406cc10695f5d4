import { cookies } from "next/headers";
import { cache } from "react";
import {
  getMailboxCookieName,
  unsealMailboxCookie,
  type MailboxSession,
} from "#lib/incidents/mailbox-session.ts";

/** Returns the content of the cookie of the opened mailbox; null if none is open on this device. */
export const readOpenedMailbox = cache(async (): Promise<MailboxSession | null> =>
  unsealMailboxCookie((await cookies()).get(getMailboxCookieName())?.value),
);
