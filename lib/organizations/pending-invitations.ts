import type { Tx } from "#lib/database/client.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";

/** Decides which grants of a role are invitations (contract 2.7, docs/decisions/033). */

type Grant = { userId: string; grantedById: string; organizationId: string; eventId: string | null };

/**
 * Returns whether a granted role is an invitation that the person has to accept: they have a role elsewhere, SystemAdmin
 * included, and haven't accepted any role in this organization; or they haven't accepted the role that they have in this
 * event. A role that somebody grants to themselves never is. The caller has locked the person's row.
 */
export async function isRoleGrantPendingAcceptance(tx: Tx, grant: Grant): Promise<boolean> {
  const { userId, grantedById, organizationId, eventId } = grant;
  if (userId === grantedById) return false;
  const { systemAdmin, memberships, eventRoles } = await tx.user.findUniqueOrThrow({
    where: { id: userId },
    select: {
      systemAdmin: true,
      memberships: { select: { organizationId: true, pending: true } },
      eventRoles: { select: { eventId: true, pending: true, event: { select: { organizationId: true } } } },
    },
  });
  if (eventRoles.some((role) => role.eventId === eventId && role.pending)) return true;
  const roles = [...memberships, ...eventRoles.map(({ event, pending }) => ({ ...event, pending }))];
  const belongs = roles.some((role) => role.organizationId === organizationId && !role.pending);
  return !belongs && (systemAdmin || roles.length > 0);
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
