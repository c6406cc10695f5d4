import { prisma, sql } from "#lib/database/client.ts";
import { getSessionIdleLimitSeconds } from "#lib/accounts/last-use.ts";
import { deleteExpiredIdempotencyKeys } from "#lib/idempotency/keys.ts";
import { deleteFailedScheduledJobs } from "#lib/jobs/library-tables.ts";
import { UNDELIVERABLE_MAIL_ERROR_TEXT } from "#lib/jobs/outcomes.ts";
import { deletePeopleWithoutRecord } from "#lib/people/people.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

const MINUTE_MS = 60_000;

/**
 * Removes expired rows: sessions, tokens, sign-in delays, idempotency keys, people whom no incident names any more, and
 * devices not seen for a year. Expired
 * API tokens stay in their owner's list for a month. A scheduled job that failed for good goes after six hours, since
 * later runs have done its work; an undeliverable mail goes after a month.
 */
export async function sweepRows(): Promise<void> {
  // Allows for processes that haven't written a session's last use yet.
  const idle = getSessionIdleLimitSeconds() * 1000 + 15 * MINUTE_MS;
  const expired = { expiresAt: { lt: new Date() } };
  await prisma.session.deleteMany({ where: { OR: [expired, { lastUsedAt: isOlderThan(idle) }] } });
  await prisma.passwordReset.deleteMany({ where: expired });
  await prisma.emailVerification.deleteMany({ where: expired });
  await prisma.emailChange.deleteMany({ where: expired });
  await prisma.apiToken.deleteMany({ where: { expiresAt: isOlderThan(30 * DAY_MS) } });
  await prisma.knownDevice.deleteMany({ where: { lastSeenAt: isOlderThan(365 * DAY_MS) } });
  await prisma.signInDelay.deleteMany({ where: { updatedAt: isOlderThan(15 * MINUTE_MS) } });
  await deletePeopleWithoutRecord();
  await deleteExpiredIdempotencyKeys();
  await deleteFailedScheduledJobs();
  await sql.$executeRaw`
    select graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
      where attempts >= max_attempts and locked_at is null and last_error like ${`mail.%: ${UNDELIVERABLE_MAIL_ERROR_TEXT} %`}
        and run_at < now() - interval '30 days'))`;
}

/**
 * Removes expired rate limit counters, sign-in retries, the input of refused forms, and the times at which mails were
 * sent. They reveal recent actions of a person, so they are kept for minutes, not days (contract 7.3).
 */
export async function sweepShortLivedRows(): Promise<void> {
  await prisma.signInRetry.deleteMany({ where: { allowedAt: isOlderThan(5 * MINUTE_MS) } });
  await prisma.rateLimit.deleteMany({ where: { expire: { lt: BigInt(Date.now()) } } });
  await prisma.refusedForm.deleteMany({ where: { createdAt: isOlderThan(15 * MINUTE_MS) } });
  // Only mails of the last minutes hold others back; the time would tell when a report without a name came.
  await prisma.notification.updateMany({
    where: { mailedAt: isOlderThan(10 * MINUTE_MS) },
    data: { mailedAt: null },
  });
}

/** Condition on a time: more than this many milliseconds ago. */
const isOlderThan = (ageMs: number) => ({ lt: new Date(Date.now() - ageMs) });
