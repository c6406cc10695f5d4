import { equalsInConstantTime } from "#lib/crypto/constant-time.ts";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { unsealMailboxCookie } from "#lib/incidents/mailbox-session.ts";
import { letterboxCookie } from "#lib/letterboxes/session.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/**
 * The tag of the opened mailbox or letterbox, in each of its forms. A device has one cookie for all mailboxes: once
 * another one is opened, a page that still shows the first would act on the other.
 */

/** The form field with the tag. */
export const OPENED_MAILBOX_OR_LETTERBOX_TAG_FIELD = "opened";

const ERROR_KEYS = {
  "mailbox.use": "otherMailboxOpened",
  "letterbox.use": "otherLetterboxOpened",
} as const;
type OpenedPermission = keyof typeof ERROR_KEYS;
type Cookies = Pick<OperationCall, "mailbox" | "letterbox">;

const isOpenedPermission = (can: string): can is OpenedPermission => Object.hasOwn(ERROR_KEYS, can);

/** Returns the tag of what is opened on this device, which doesn't reveal its id; null if nothing is. */
export async function findOpenedMailboxOrLetterboxFormTag(
  can: OpenedPermission,
  cookies: Cookies,
): Promise<string | null> {
  const id =
    can === "mailbox.use"
      ? (await unsealMailboxCookie(cookies.mailbox))?.incidentId
      : (await letterboxCookie.unseal(cookies.letterbox))?.letterboxId;
  if (id === undefined) return null;
  return Buffer.from(computeKeyedHash("opened tag", `${can} ${id}`))
    .toString("base64url")
    .slice(0, 22);
}

/**
 * Refuses a form of a mailbox or letterbox that isn't the one opened on this device. If none is opened, the operation
 * itself refuses.
 * @param tag the form's tag; a form without one is refused
 * @throws AppError UNAUTHENTICATED
 */
export async function refuseFormOfOtherMailboxOrLetterbox(
  { can }: { can: string },
  cookies: Cookies,
  tag: string | undefined,
): Promise<void> {
  if (!isOpenedPermission(can)) return;
  const opened = await findOpenedMailboxOrLetterboxFormTag(can, cookies);
  if (opened !== null && !equalsInConstantTime(tag ?? "", opened))
    throw new AppError("UNAUTHENTICATED", ERROR_KEYS[can]);
}

/** Returns whether an error is that of `refuseFormOfOtherMailboxOrLetterbox`. */
export const isOtherMailboxOrLetterboxError = ({ key }: Pick<AppError, "key">): boolean =>
  Object.values<string>(ERROR_KEYS).includes(key);
