import { z } from "zod";
import { issueEmailChange } from "#lib/accounts/email-change.ts";
import { issueReset } from "#lib/accounts/reset.ts";
import { sweepRows } from "#lib/accounts/sweep.ts";
import { storedKeys } from "#lib/files/rows.ts";
import { storage } from "#lib/files/storage.ts";
import { sweepOrphans, sweepTemporary } from "#lib/files/sweep.ts";
import { escalateUnanswered } from "#lib/incidents/escalation.ts";
import { emailChange, emailChanged, passwordChanged, passwordReset } from "#lib/mail/messages.ts";
import { recipientOf } from "#lib/mail/queries.ts";
import { deliver } from "#lib/mail/send.ts";
import { Fact } from "#lib/notifications/facts.ts";
import { spread } from "#lib/notifications/spread.ts";

type TaskOf<Schema extends z.ZodType> = { payload: Schema; run(payload: z.output<Schema>): Promise<void> };

const task = <Schema extends z.ZodType>(
  payload: Schema,
  run: (payload: z.output<Schema>) => Promise<void>,
): TaskOf<Schema> => ({
  payload,
  run,
});

const nothing = z.object({});

/**
 * Every job of the service. A job may run more than once (a process can end between the work and its
 * record), so each can bear it. Links with tokens are made here, when the mail is written, so that
 * the queue never holds one.
 */
export const TASKS = {
  /** Writes to the account of this address, if there is one. A repeated try sends a new link. */
  "mail.reset": task(z.object({ email: z.string() }), async ({ email }) => {
    const reset = await issueReset(email);
    if (reset) await deliver({ to: reset.to, message: passwordReset(reset) });
  }),

  /** Asks the present address of an account to confirm the new one (rulings R2). */
  "mail.emailChange": task(z.object({ userId: z.uuid() }), async ({ userId }) => {
    const change = await issueEmailChange(userId);
    if (change) await deliver({ to: change.to, message: emailChange(change) });
  }),

  /** `formerEmail`: where a changed address is told about, since its owner may not be who changed it. */
  "mail.notice": task(
    z.object({
      userId: z.uuid(),
      kind: z.enum(["passwordChanged", "emailChanged"]),
      formerEmail: z.string().optional(),
    }),
    async ({ userId, kind, formerEmail }) => {
      const user = await recipientOf(userId);
      if (!user) return;
      const message = kind === "passwordChanged" ? passwordChanged(user) : emailChanged(user);
      await deliver({ to: formerEmail ?? user.email, message });
    },
  ),

  /** Whoever it concerns is told of what happened; queued by the transaction in which it did. */
  tell: task(Fact.extend({ cause: z.uuid() }), spread),

  /** Removes stored files whose rows are gone; queued by the transaction that deletes the rows. */
  "files.remove": task(z.object({ keys: z.array(z.uuid()) }), async ({ keys }) => {
    for (const key of keys) await storage().remove(key);
  }),

  sweepTemporary: task(nothing, async () => {
    await sweepTemporary();
  }),
  sweepOrphans: task(nothing, async () => {
    await sweepOrphans(storedKeys);
  }),
  sweepRows: task(nothing, sweepRows),

  /** Marks reports whose response deadline has passed (rulings R5). */
  escalateUnanswered: task(nothing, async () => {
    await escalateUnanswered();
  }),
} as const;

/** Task name → payload. */
export type Tasks = { [Name in keyof typeof TASKS]: z.input<(typeof TASKS)[Name]["payload"]> };
