import type { Tx } from "#lib/database/client.ts";
import { requiresRoleInvitation } from "#lib/organizations/queries.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";

/** Decides which grants of a role are invitations (contract 2.7, docs/decisions/033). */

type Grant = { userId: string; grantedById: string; organizationId: string; eventId: string | null };

/**
 * Returns whether a granted role is an invitation that the person has to accept, as `requiresRoleInvitation` decides. A
 * role that somebody grants to themselves never is. The caller has locked the person's row.
 */
export async function isRoleGrantPendingAcceptance(tx: Tx, grant: Grant): Promise<boolean> {
  const { userId, grantedById, organizationId, eventId } = grant;
  if (userId === grantedById) return false;
  return requiresRoleInvitation(tx, { userId, organizationId, eventId });
}

/**
 * Queues a mail about a person's invitations, at most one per hour, so that granting and revoking in a loop doesn't
 * send a flood of mails. The mail links to the page that lists all of them.
 */
export async function queueThrottledInvitationMail(tx: Tx, userId: string): Promise<void> {
  const now = new Date();
  const hourAgo = new Date(now.getTime() - 3600_000);
  const due = await tx.user.updateMany({
    where: {
      id: userId,
      disabledAt: null,
      OR: [{ invitationMailAt: null }, { invitationMailAt: { lt: hourAgo } }],
    },
    data: { invitationMailAt: now },
  });
  if (due.count > 0) await enqueueJob(tx, "mail.invitation", { userId });
}
