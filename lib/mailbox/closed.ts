import { prisma } from "#lib/database/client.ts";
import type { MailboxSession } from "#lib/incidents/mailbox-session.ts";

/** Returns whether the mailbox that this device opened was closed for good since, maybe on another device. */
export const isMailboxClosed = async ({ incidentId }: MailboxSession): Promise<boolean> =>
  (await prisma.reportMailbox.count({ where: { incidentId, receiptHash: null } })) === 1;
