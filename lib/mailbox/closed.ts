import { prisma } from "#lib/database/client.ts";
import type { MailboxSession } from "#lib/incidents/mailbox-session.ts";

/**
 * Returns whether the mailbox that is open on this device has been closed for good in the meantime, perhaps from
 * another device.
 */
export const isMailboxClosed = async ({ incidentId }: MailboxSession): Promise<boolean> =>
  (await prisma.reportMailbox.count({ where: { incidentId, receiptHash: null } })) === 1;
