import { z } from "zod";
import { issueEmailChangeLink } from "#lib/accounts/email-change.ts";
import { issueVerificationLink } from "#lib/accounts/email-verification.ts";
import { issuePasswordResetLink } from "#lib/accounts/reset.ts";
import { sweepOrphanedFiles } from "#lib/worker/orphan-sweep.ts";
import { sweepShortLivedRows, sweepRows } from "#lib/worker/sweep.ts";
import { mailAuditHeads } from "#lib/audit/heads-mail.ts";
import { sql } from "#lib/database/client.ts";
import {
  startEvidenceCheck,
  continueEvidenceCheck,
  recheckEvidenceProblems,
} from "#lib/evidence/integrity.ts";
import { runUnlessBackupActive } from "#lib/files/storage/removal.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { sweepPartialFiles, sweepTemporaryFolders } from "#lib/files/storage/sweep.ts";
import { escalateOverdueIncidents } from "#lib/incidents/escalation.ts";
import { flushSearchIndexes } from "#lib/incidents/search-index-queries.ts";
import { listInvitationsReceivedByUser } from "#lib/invites/invitation-queries.ts";
import { sendInviteMail } from "#lib/invites/mailed-invites.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import * as messages from "#lib/mail/messages.ts";
import { letOutsidePeopleIn, unassignFormerOutsidePeople } from "#lib/readers/outside-person.ts";
import { findMailRecipient } from "#lib/accounts/mail-recipient.ts";
import { sendMail } from "#lib/mail/send.ts";
import { buildInvitationsPageUrl } from "#lib/notifications/links.ts";
import { mailDigest, mailNotifications, queueDigests, sweepNotifications } from "#lib/notifications/mails.ts";
import { notifyNewTeamMembers, notifyOfEventsWithoutReader } from "#lib/notifications/team-notices.ts";
import { deleteDueIncidents } from "#lib/retention/deletion.ts";
import { notifyTeamsOfDeletionsAndHoldReviews } from "#lib/retention/notices.ts";
import {
  attemptWebhookDeliveryAndFollowing,
  sendWebhookDisabledMail,
  deleteOldWebhookDeliveries,
} from "#lib/webhooks/deliveries.ts";

/** The running attempt of a job. */
export type JobAttempt = { isLast: boolean };

type TaskDefinition<Schema extends z.ZodType> = {
  payload: Schema;
  run(payload: z.output<Schema>, attempt: JobAttempt): Promise<void>;
};

const defineTask = <Schema extends z.ZodType>(
  payload: Schema,
  run: (payload: z.output<Schema>, attempt: JobAttempt) => Promise<void>,
): TaskDefinition<Schema> => ({
  payload,
  run,
});

const NO_PAYLOAD = z.object({});

/** Delay before the next try to remove files: they stay while a backup may still have to copy them. */
const BACKUP_RETRY_DELAY_MS = 60_000;

/** Mails about the recipient's own account. */
const ACCOUNT_NOTICES = {
  passwordChanged: messages.composePasswordChangedMail,
  emailChanged: messages.composeEmailChangedMail,
  nameChanged: messages.composeNameChangedMail,
  emailChangeRequested: messages.composeEmailChangeRequestedMail,
  newDevice: messages.composeNewDeviceMail,
  secondFactorOn: messages.composeSecondFactorOnMail,
  secondFactorOff: messages.composeSecondFactorOffMail,
  secondFactorReset: messages.composeSecondFactorResetMail,
  recoveryCodeUsed: messages.composeRecoveryCodeUsedMail,
  tokenCreated: messages.composeApiTokenCreatedMail,
  accountDeleted: messages.composeAccountDeletedMail,
};
type NoticeKind = keyof typeof ACCOUNT_NOTICES;

/**
 * All jobs of the service. A job may run more than once, since a process can end between the work and its record, so
 * each is safe to repeat. Links with tokens are created here, when the mail is written, so that the queue never holds
 * a token.
 */
export const JOB_TASKS = {
  /** Mails a reset link to the account of this address, if there is one. A retry sends a new link. */
  "mail.reset": defineTask(z.object({ email: z.string() }), async ({ email }) => {
    const reset = await issuePasswordResetLink(email);
    if (reset) await sendMail({ to: reset.to, message: messages.composePasswordResetMail(reset) });
  }),

  /** Mails a link that confirms an account's address. A retry sends a new link. */
  "mail.verification": defineTask(z.object({ userId: z.uuid() }), async ({ userId }) => {
    const verification = await issueVerificationLink(userId);
    if (verification)
      await sendMail({ to: verification.to, message: messages.composeVerificationMail(verification) });
  }),

  /**
   * Mails a link that confirms a change of address: to the new one if the owner asked for it, otherwise to the current
   * one (contract 4.6).
   */
  "mail.emailChange": defineTask(z.object({ userId: z.uuid() }), async ({ userId }) => {
    const change = await issueEmailChangeLink(userId);
    const message = change?.own
      ? messages.composeNewEmailConfirmationMail
      : messages.composeEmailChangeConsentMail;
    if (change) await sendMail({ to: change.to, message: message(change) });
  }),

  /**
   * `formerEmail`: the previous address, which gets the notice because its owner may not have made the change.
   * `locale`: the language of a deleted account.
   */
  "mail.notice": defineTask(
    z.object({
      userId: z.uuid(),
      kind: z.enum(Object.keys(ACCOUNT_NOTICES) as NoticeKind[]),
      formerEmail: z.string().optional(),
      locale: z.string().nullish(),
    }),
    async ({ userId, kind, formerEmail, locale }) => {
      const user = await findMailRecipient(userId);
      const to = formerEmail ?? (user?.verified ? user.email : undefined);
      // A deleted account gets only the mail about its deletion.
      if (!to || (!user && kind !== "accountDeleted")) return;
      await sendMail({ to, message: ACCOUNT_NOTICES[kind](user ?? { name: "", locale }) });
    },
  ),

  /** Tells somebody that they were granted a role; the page says by whom and where. */
  "mail.invitation": defineTask(z.object({ userId: z.uuid() }), async ({ userId }) => {
    const user = await findMailRecipient(userId);
    if (!user?.verified || (await listInvitationsReceivedByUser(userId)).length === 0) return;
    await sendMail({
      to: user.email,
      message: messages.composeRoleInvitationMail({ ...user, url: buildInvitationsPageUrl() }),
    });
  }),

  /** Mails an invite to the address that it was made for. */
  "mail.invite": defineTask(z.object({ inviteId: z.uuid(), email: z.string() }), sendInviteMail),

  /** Mails a person what is new in one place, if they may still see it and haven't read it. */
  "mail.notification": defineTask(
    z.object({ userId: z.uuid(), notificationIds: z.array(z.uuid()) }),
    ({ userId, notificationIds }) => mailNotifications(userId, notificationIds),
  ),

  /** Mails a person's digest of an hour or a day; `queueDigests` queues it. */
  "mail.digest": defineTask(
    z.object({ userId: z.uuid(), notificationIds: z.array(z.uuid()) }),
    ({ userId, notificationIds }) => mailDigest(userId, notificationIds),
  ),

  /** Sends a webhook delivery; retries until it is accepted or the attempts are used up. */
  "webhook.deliver": defineTask(z.object({ deliveryId: z.uuid() }), ({ deliveryId }, { isLast }) =>
    attemptWebhookDeliveryAndFollowing(deliveryId, isLast),
  ),

  /** Tells an org_admin that a webhook was disabled. */
  "mail.webhookDisabled": defineTask(
    z.object({ webhookId: z.uuid(), userId: z.uuid() }),
    ({ webhookId, userId }) => sendWebhookDisabledMail(webhookId, userId),
  ),

  /** Mails the heads of the audit log to the address where the operator keeps them. */
  "mail.auditHeads": defineTask(NO_PAYLOAD, mailAuditHeads),

  /** Removes stored files whose rows are gone; the transaction that deletes the rows queues it. */
  "files.remove": defineTask(z.object({ keys: z.array(z.uuid()) }), async ({ keys }) => {
    const isRemoved = await runUnlessBackupActive(async () => {
      for (const key of keys) await getFileStorage().remove(key);
    });
    if (!isRemoved)
      await enqueueJob(
        sql,
        "files.remove",
        { keys },
        { runAt: new Date(Date.now() + BACKUP_RETRY_DELAY_MS) },
      );
  }),

  /** Not scheduled, since each process sweeps its own data folder; earlier versions may have queued it. */
  sweepTemporary: defineTask(NO_PAYLOAD, async () => {
    await sweepTemporaryFolders();
  }),
  sweepOrphans: defineTask(NO_PAYLOAD, async () => {
    await sweepPartialFiles();
    await runUnlessBackupActive(() => sweepOrphanedFiles());
  }),

  /** Checks all stored evidence, in as many jobs as it takes. */
  beginEvidenceCheck: defineTask(NO_PAYLOAD, async () => {
    await startEvidenceCheck();
    await queueEvidenceCheck();
  }),
  continueEvidenceCheck: defineTask(NO_PAYLOAD, async () => {
    if (await continueEvidenceCheck()) await queueEvidenceCheck();
  }),
  recheckEvidenceProblems: defineTask(NO_PAYLOAD, recheckEvidenceProblems),

  sweepRows: defineTask(NO_PAYLOAD, sweepRows),
  sweepCounters: defineTask(NO_PAYLOAD, sweepShortLivedRows),
  queueDigests: defineTask(NO_PAYLOAD, async () => {
    await queueDigests();
  }),
  /** Removes old notifications, and old deliveries of webhooks. */
  sweepNotifications: defineTask(NO_PAYLOAD, async () => {
    await sweepNotifications();
    await deleteOldWebhookDeliveries();
  }),

  /** Keeps searches fast after many writes. */
  flushSearchIndexes: defineTask(NO_PAYLOAD, async () => {
    await flushSearchIndexes();
  }),

  /** Notifies teams of what the rules of organizations delete next, and deletes what is due by now (contract 17). */
  applyRetention: defineTask(NO_PAYLOAD, async () => {
    await notifyTeamsOfDeletionsAndHoldReviews().finally(deleteDueIncidents);
  }),

  /** Escalates reports whose response deadline has passed (contract 7.11). */
  escalateUnanswered: defineTask(NO_PAYLOAD, async () => {
    await escalateOverdueIncidents();
  }),

  /**
   * Lets outside people read what nobody else can (contract 16.7), and notifies of teams that nobody is left on or
   * that somebody joined (contract 6.10).
   */
  letOutsidePeopleIn: defineTask(NO_PAYLOAD, async () => {
    await unassignFormerOutsidePeople(null)
      .finally(() => letOutsidePeopleIn())
      .finally(() => notifyOfEventsWithoutReader())
      .finally(() => notifyNewTeamMembers());
  }),

  /** Unassigns what a replaced outside person works on. */
  releaseReplacedOutsidePerson: defineTask(
    z.object({ organizationId: z.uuid(), userId: z.uuid() }),
    async (replaced) => void (await unassignFormerOutsidePeople(replaced)),
  ),
} as const;

/** Maps a task's name to its payload. */
export type TaskPayloads = { [Name in keyof typeof JOB_TASKS]: z.input<(typeof JOB_TASKS)[Name]["payload"]> };

/** Queues one slice of the check at a time, so that other jobs of the queue get their turn. */
const queueEvidenceCheck = (): Promise<void> =>
  enqueueJob(
    sql,
    "continueEvidenceCheck",
    {},
    { jobKey: "evidence-check", runAt: new Date(Date.now() + 1000) },
  );
