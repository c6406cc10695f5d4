import { hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma } from "#lib/database/client.ts";
import type { MailboxSession } from "#lib/incidents/mailbox-session.ts";

/**
 * Returns whether a team member's device still shows this receipt to the reporter. The database decides and not the
 * cookie, since a copied cookie outlives the hand-over.
 */
export const isReceiptShownOnTeamDevice = async ({ incidentId, receipt }: MailboxSession): Promise<boolean> =>
  receipt !== undefined &&
  (await prisma.reportMailbox.count({
    where: { incidentId, receiptHash: hashReceipt(receipt), handingOver: true },
  })) === 1;

/**
 * Returns the words that this device still shows for its opened mailbox. Null once they are confirmed, even for a copy
 * of the cookie, and on a team member's device.
 */
export async function findShownReceiptCode({
  incidentId,
  receipt,
  fresh,
  handOverUntil,
}: MailboxSession): Promise<string | null> {
  if (receipt === undefined || handOverUntil !== undefined) return null;
  const unconfirmed = { confirmed: false, ...(fresh && { confirmedOnSending: false }) };
  const count = await prisma.reportMailbox.count({
    where: { incidentId, receiptHash: { not: null }, ...unconfirmed },
  });
  return count === 1 ? receipt : null;
}
