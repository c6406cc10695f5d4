import { hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma } from "#lib/database/client.ts";
import type { MailboxSession } from "#lib/incidents/mailbox-session.ts";

/** Whether a device of the team still shows a receipt to its person: a copy of the cookie outlives the hand-over. */
export const isHandingOver = async ({ incidentId, receipt }: MailboxSession): Promise<boolean> =>
  receipt !== undefined &&
  (await prisma.reportMailbox.count({
    where: { incidentId, receiptHash: hashReceipt(receipt), handingOver: true },
  })) === 1;
