import { equalsInConstantTime } from "#lib/crypto/constant-time.ts";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { unsealMailboxCookie } from "#lib/incidents/mailbox-session.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/**
 * The tag of the opened mailbox, in each of its forms. A device has one cookie for all mailboxes: once another one is
 * opened, a page that still shows the first would act on the other.
 */

/** The form field with the tag. */
export const OPENED_MAILBOX_TAG_FIELD = "opened";

const OTHER_OPENED = "otherMailboxOpened";

/** Returns the tag of what is opened on this device, which doesn't reveal its id; null if nothing is. */
export async function findOpenedMailboxFormTag({
  mailbox,
}: Pick<OperationCall, "mailbox">): Promise<string | null> {
  const id = (await unsealMailboxCookie(mailbox))?.conversationId;
  if (id === undefined) return null;
  return Buffer.from(computeKeyedHash("opened tag", id)).toString("base64url").slice(0, 22);
}

/**
 * Refuses a form of a mailbox that isn't the one opened on this device. If none is opened, the operation itself refuses.
 * @param tag the form's tag; a form without one is refused
 * @throws AppError UNAUTHENTICATED
 */
export async function refuseFormOfOtherMailbox(
  { can }: { can: string },
  cookies: Pick<OperationCall, "mailbox">,
  tag: string | undefined,
): Promise<void> {
  if (can !== "mailbox.use") return;
  const opened = await findOpenedMailboxFormTag(cookies);
  if (opened !== null && !equalsInConstantTime(tag ?? "", opened))
    throw new AppError("UNAUTHENTICATED", OTHER_OPENED);
}

/** Returns whether an error is that of `refuseFormOfOtherMailbox`. */
export const isOtherMailboxError = ({ key }: Pick<AppError, "key">): boolean => key === OTHER_OPENED;
