import { z } from "zod";
import { issueEmailChange } from "#lib/accounts/email-change.ts";
import { issueVerification } from "#lib/accounts/email-verification.ts";
import { issueReset } from "#lib/accounts/reset.ts";
import { sweepCounters, sweepRows } from "#lib/worker/sweep.ts";
import { foldReportChanges } from "#lib/analytics/rollup.ts";
import { mailCheckpoint, postCheckpoint } from "#lib/audit/sending.ts";
import { db } from "#lib/database/client.ts";
import {
  beginEvidenceCheck,
  continueEvidenceCheck,
  recheckEvidenceProblems,
} from "#lib/evidence/integrity.ts";
import { unlessBackedUp } from "#lib/files/storage/removal.ts";
import { storedKeys } from "#lib/files/storage/rows.ts";
import { storage } from "#lib/files/storage/storage.ts";
import { sweepOrphans, sweepTemporary } from "#lib/files/storage/sweep.ts";
import { escalateUnanswered } from "#lib/incidents/escalation.ts";
import { moveWordsIntoIndexes } from "#lib/incidents/search-indexes.ts";
import { listInvitations } from "#lib/invitations/invitations.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import * as messages from "#lib/mail/messages.ts";
import { recipientOf } from "#lib/accounts/mail-recipient.ts";
import { deliver } from "#lib/mail/send.ts";
import { invitationsPage } from "#lib/notifications/links.ts";
import { mailDigest, mailNotifications, queueDigests, sweepNotifications } from "#lib/notifications/mails.ts";
import { attemptDelivery, mailWebhookDisabled, sweepDeliveries } from "#lib/webhooks/deliveries.ts";

/** Which try it is that runs. */
export type Attempt = { isLast: boolean };

type TaskOf<Schema extends z.ZodType> = {
  payload: Schema;
  run(payload: z.output<Schema>, attempt: Attempt): Promise<void>;
};

const task = <Schema extends z.ZodType>(
  payload: Schema,
  run: (payload: z.output<Schema>, attempt: Attempt) => Promise<void>,
): TaskOf<Schema> => ({
  payload,
  run,
});

const nothing = z.object({});

/** Files that a backup may still have to copy are removed later. */
const AFTER_BACKUP_MS = 60_000;

/** Mails about one's own account. */
const NOTICES = {
  passwordChanged: messages.passwordChanged,
  emailChanged: messages.emailChanged,
  emailChangeAsked: messages.emailChangeAsked,
  newDevice: messages.newDevice,
  secondFactorOn: messages.secondFactorOn,
  secondFactorOff: messages.secondFactorOff,
  secondFactorReset: messages.secondFactorReset,
  recoveryCodeUsed: messages.recoveryCodeUsed,
  accountDeleted: messages.accountDeleted,
};
type NoticeKind = keyof typeof NOTICES;

/**
 * Every job of the service. A job may run more than once (a process can end between the work and its
 * record), so each can bear it. Links with tokens are made here, when the mail is written, so that
 * the queue never holds one.
 */
export const TASKS = {
  /** Writes to the account of this address, if there is one. A repeated try sends a new link. */
  "mail.reset": task(z.object({ email: z.string() }), async ({ email }) => {
    const reset = await issueReset(email);
    if (reset) await deliver({ to: reset.to, message: messages.passwordReset(reset) });
  }),

  /** Asks to confirm the address of an account. A repeated try sends a new link. */
  "mail.verification": task(z.object({ userId: z.uuid() }), async ({ userId }) => {
    const verification = await issueVerification(userId);
    if (verification) await deliver({ to: verification.to, message: messages.verification(verification) });
  }),

  /** Asks to confirm another address: the new one where the owner wants it, else the present one (contract 4.6). */
  "mail.emailChange": task(z.object({ userId: z.uuid() }), async ({ userId }) => {
    const change = await issueEmailChange(userId);
    const message = change?.own ? messages.ownEmailChange : messages.emailChange;
    if (change) await deliver({ to: change.to, message: message(change) });
  }),

  /**
   * `formerEmail`: where a changed address is told about, since its owner may not be who changed it. `locale`: the
   * language of an account that is gone by then.
   */
  "mail.notice": task(
    z.object({
      userId: z.uuid(),
      kind: z.enum(Object.keys(NOTICES) as NoticeKind[]),
      formerEmail: z.string().optional(),
      locale: z.string().nullish(),
    }),
    async ({ userId, kind, formerEmail, locale }) => {
      const user = await recipientOf(userId);
      const to = formerEmail ?? (user?.verified ? user.email : undefined);
      // Of an account that is gone only its end is told.
      if (!to || (!user && kind !== "accountDeleted")) return;
      await deliver({ to, message: NOTICES[kind](user ?? { name: "", locale }) });
    },
  ),

  /** Tells somebody that they were granted a role somewhere; by whom and where, the page says. */
  "mail.invitation": task(z.object({ userId: z.uuid() }), async ({ userId }) => {
    const user = await recipientOf(userId);
    if (!user?.verified || (await listInvitations(userId)).length === 0) return;
    await deliver({ to: user.email, message: messages.invited({ ...user, url: invitationsPage() }) });
  }),

  /** Tells one person of what is new in one place, if they may still see it and have not read of it. */
  "mail.notification": task(
    z.object({ userId: z.uuid(), notificationIds: z.array(z.uuid()) }),
    ({ userId, notificationIds }) => mailNotifications(userId, notificationIds),
  ),

  /** What was gathered for one person over an hour or a day; queued by `queueDigests`. */
  "mail.digest": task(
    z.object({ userId: z.uuid(), notificationIds: z.array(z.uuid()) }),
    ({ userId, notificationIds }) => mailDigest(userId, notificationIds),
  ),

  /** Sends one delivery of a webhook, and tries again until it is taken or the tries are used up. */
  "webhook.deliver": task(z.object({ deliveryId: z.uuid() }), ({ deliveryId }, { isLast }) =>
    attemptDelivery(deliveryId, isLast),
  ),

  /** Tells an org_admin that a webhook was turned off. */
  "mail.webhookDisabled": task(z.object({ webhookId: z.uuid(), userId: z.uuid() }), ({ webhookId, userId }) =>
    mailWebhookDisabled(webhookId, userId),
  ),

  /** Sends a checkpoint of the audit log to where the operator keeps them. */
  "mail.auditCheckpoint": task(z.object({ number: z.int() }), ({ number }) => mailCheckpoint(number)),
  postAuditCheckpoint: task(z.object({ number: z.int() }), ({ number }) => postCheckpoint(number)),

  /** Removes stored files whose rows are gone; queued by the transaction that deletes the rows. */
  "files.remove": task(z.object({ keys: z.array(z.uuid()) }), async ({ keys }) => {
    const done = await unlessBackedUp(async () => {
      for (const key of keys) await storage().remove(key);
    });
    if (!done) await enqueue(db, "files.remove", { keys }, { runAt: new Date(Date.now() + AFTER_BACKUP_MS) });
  }),

  sweepTemporary: task(nothing, async () => {
    await sweepTemporary();
  }),
  sweepOrphans: task(nothing, async () => {
    await unlessBackedUp(() => sweepOrphans(storedKeys));
  }),

  /** Checks all stored evidence, over as many jobs as it takes. */
  beginEvidenceCheck: task(nothing, async () => {
    await beginEvidenceCheck();
    await queueEvidenceCheck();
  }),
  continueEvidenceCheck: task(nothing, async () => {
    if (await continueEvidenceCheck()) await queueEvidenceCheck();
  }),
  recheckEvidenceProblems: task(nothing, recheckEvidenceProblems),

  sweepRows: task(nothing, sweepRows),
  sweepCounters: task(nothing, sweepCounters),
  queueDigests: task(nothing, async () => {
    await queueDigests();
  }),
  sweepTold: task(nothing, async () => {
    await sweepNotifications();
    await sweepDeliveries();
  }),

  /** Moves what changed into the tallies of analytics. */
  foldReportChanges: task(nothing, async () => {
    await foldReportChanges();
  }),

  /** Keeps searches quick after much was written. */
  moveWordsIntoIndexes: task(nothing, async () => {
    await moveWordsIntoIndexes();
  }),

  /** Marks reports whose response deadline has passed (contract 7.11). */
  escalateUnanswered: task(nothing, async () => {
    await escalateUnanswered();
  }),
} as const;

/** Task name → payload. */
export type Tasks = { [Name in keyof typeof TASKS]: z.input<(typeof TASKS)[Name]["payload"]> };

/** A slice of the check at a time, so that what waits behind it in the queue gets its turn. */
const queueEvidenceCheck = (): Promise<void> =>
  enqueue(db, "continueEvidenceCheck", {}, { jobKey: "evidence-check", runAt: new Date(Date.now() + 1000) });
