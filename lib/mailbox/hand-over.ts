import { hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma } from "#lib/database/client.ts";
import type { MailboxSession } from "#lib/incidents/mailbox-session.ts";

/** Whether a device of the team still shows a receipt to its person: a copy of the cookie outlives the hand-over. */
export const isHandingOver = async ({ incidentId, receipt }: MailboxSession): Promise<boolean> =>
  receipt !== undefined &&
  (await prisma.reportMailbox.count({
    where: { incidentId, receiptHash: hashReceipt(receipt), handingOver: true },
  })) === 1;

/**
 * Returns the words that an opened mailbox still shows on this device, by its cookie; null once they are confirmed, for a
 * copy of the cookie as well, and on a device of the team.
 */
export async function findShownReceipt({
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
