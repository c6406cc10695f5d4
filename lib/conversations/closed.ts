import { prisma } from "#lib/database/client.ts";
import type { MailboxSession } from "#lib/incidents/mailbox-session.ts";

/**
 * Returns whether the mailbox that is open on this device has been closed for good in the meantime, perhaps from
 * another device.
 */
export const isMailboxClosed = async ({ conversationId }: MailboxSession): Promise<boolean> =>
  (await prisma.conversation.count({ where: { id: conversationId, closedOn: { not: null } } })) === 1;
