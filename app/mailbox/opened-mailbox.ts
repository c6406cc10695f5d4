import { cache } from "react";
import { findOpenedMailboxFormTag } from "#lib/http/opened-tag.ts";
import { createPageCallContext } from "#lib/http/page.ts";
import { unsealMailboxCookie, type MailboxSession } from "#lib/incidents/mailbox-session.ts";

/** Returns the content of the cookie of the opened mailbox; null if none is open on this device. */
export const readOpenedMailboxSession = cache(async (): Promise<MailboxSession | null> =>
  unsealMailboxCookie((await createPageCallContext()).mailbox),
);

/** Returns the tag of the mailbox that is open on this device, for the forms of its pages; blank if none is open. */
export const readOpenedMailboxTag = cache(
  async (): Promise<string> => (await findOpenedMailboxFormTag(await createPageCallContext())) ?? "",
);
