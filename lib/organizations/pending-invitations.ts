import type { Tx } from "#lib/database/client.ts";
import { requiresRoleInvitation } from "#lib/organizations/queries.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";

/** Decides which grants of a role are invitations (contract 2.7, docs/decisions/033). */

type Grant = { userId: string; grantedById: string; organizationId: string; eventId: string | null };

/**
 * Returns whether a grant is an invitation: its person has a role elsewhere, SystemAdmin included, and has accepted
 * none in this organization. A grant to oneself never is. The caller holds the lock of the person.
 */
export async function isRoleGrantInvitation(tx: Tx, grant: Grant): Promise<boolean> {
  const { userId, grantedById, organizationId, eventId } = grant;
  if (userId === grantedById) return false;
  return requiresRoleInvitation(tx, { userId, organizationId, eventId });
}

/**
 * Queues a mail about invitations, at most one per hour, so that granting and revoking in a loop can't flood a
 * mailbox. The page lists all invitations.
 */
export async function queueThrottledInvitationMail(tx: Tx, userId: string): Promise<void> {
  const due = await tx.$executeRaw`
    update users set invitation_mail_at = now()
    where id = ${userId}::uuid and disabled_at is null
      and (invitation_mail_at is null or invitation_mail_at < now() - interval '1 hour')`;
  if (due > 0) await enqueueJob(tx, "mail.invitation", { userId });
}
