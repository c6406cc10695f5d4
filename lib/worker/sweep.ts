import { sql } from "#lib/database/client.ts";
import { sessionIdleSeconds } from "#lib/accounts/last-use.ts";
import { IDEMPOTENCY_KEY_TTL } from "#lib/incidents/idempotency.ts";
import { deleteFailedScheduledJobs } from "#lib/jobs/library-tables.ts";
import { UNDELIVERABLE_MARKER } from "#lib/jobs/outcomes.ts";

/**
 * Removes expired rows: sessions, tokens, sign-in delays, idempotency keys, and devices not seen for a year. Expired
 * API tokens stay in their owner's list for a month. A scheduled job that failed for good goes after six hours, since
 * later runs have done its work; an undeliverable mail goes after a month.
 */
export async function sweepRows(): Promise<void> {
  // Allows for processes that haven't written a session's last use yet.
  const idle = sessionIdleSeconds() + 15 * 60;
  await sql.$executeRaw`
    delete from sessions where expires_at < now() or last_used_at < now() - make_interval(secs => ${idle}::int)`;
  await sql.$executeRaw`delete from password_resets where expires_at < now()`;
  await sql.$executeRaw`delete from email_verifications where expires_at < now()`;
  await sql.$executeRaw`delete from email_changes where expires_at < now()`;
  await sql.$executeRaw`delete from api_tokens where expires_at < now() - interval '30 days'`;
  await sql.$executeRaw`delete from known_devices where last_seen_at < now() - interval '1 year'`;
  await sql.$executeRaw`delete from sign_in_delays where updated_at < now() - interval '15 minutes'`;
  await sql.$executeRaw`
    delete from report_keys k using incidents i where i.id = k.incident_id and i.created_at <= now() - ${IDEMPOTENCY_KEY_TTL}`;
  await deleteFailedScheduledJobs();
  await sql.$executeRaw`
    select graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
      where attempts >= max_attempts and locked_at is null and last_error like ${`mail.%: ${UNDELIVERABLE_MARKER} %`}
        and run_at < now() - interval '30 days'))`;
}

/**
 * Removes expired rate limit counters and sign-in retries, and the input of refused forms. They reveal what somebody
 * has just done, so they are kept for minutes, not days (contract 7.3).
 */
export async function sweepCounters(): Promise<void> {
  await sql.$executeRaw`delete from sign_in_retries where allowed_at < now() - interval '5 minutes'`;
  await sql.$executeRaw`delete from rate_limits where expire < extract(epoch from now()) * 1000`;
  await sql.$executeRaw`delete from form_returns where created_at < now() - interval '15 minutes'`;
}
