import { hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma } from "#lib/database/client.ts";
import type { MailboxSession } from "#lib/incidents/mailbox-session.ts";

/**
 * Returns whether a team member's device still shows this receipt to the reporter. The database decides and not the
 * cookie, since a copied cookie outlives the hand-over.
 */
export const isReceiptShownOnTeamDevice = async ({
  conversationId,
  receipt,
}: MailboxSession): Promise<boolean> =>
  receipt !== undefined &&
  (await prisma.conversation.count({
    where: { id: conversationId, wordsHash: hashReceipt(receipt), handingOver: true },
  })) === 1;

/**
 * Returns the words that this device still shows for its opened mailbox. Null once they are confirmed, even for a copy
 * of the cookie, and on a team member's device.
 */
export async function findShownReceiptCode({
  conversationId,
  receipt,
  handOverUntil,
}: MailboxSession): Promise<string | null> {
  if (receipt === undefined || handOverUntil !== undefined) return null;
  const count = await prisma.conversation.count({
    where: { id: conversationId, wordsHash: hashReceipt(receipt), confirmed: false },
  });
  return count === 1 ? receipt : null;
}
