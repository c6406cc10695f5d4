import { db } from "#lib/database/client.ts";
import { sessionIdleSeconds } from "#lib/accounts/last-use.ts";
import { IDEMPOTENCY_KEY_TTL } from "#lib/incidents/idempotency.ts";
import { UNDELIVERABLE_MARKER } from "#lib/jobs/outcomes.ts";

/**
 * Removes what has run out: sessions, tokens, delays, keys of reports, and devices that weren't seen for a
 * year. API tokens that ran out stay in their owner's list for a month. A scheduled job that failed for good goes when
 * the runs after it have done what it left, and an undeliverable mail after a month.
 */
export async function sweepRows(): Promise<void> {
  // Where a process could not write yet that one was used, it stays.
  const idle = sessionIdleSeconds() + 15 * 60;
  await db.$executeRaw`
    delete from sessions where expires_at < now() or last_used_at < now() - make_interval(secs => ${idle}::int)`;
  await db.$executeRaw`delete from password_resets where expires_at < now()`;
  await db.$executeRaw`delete from email_verifications where expires_at < now()`;
  await db.$executeRaw`delete from email_changes where expires_at < now()`;
  await db.$executeRaw`delete from api_tokens where expires_at < now() - interval '30 days'`;
  await db.$executeRaw`delete from known_devices where last_seen_at < now() - interval '1 year'`;
  await db.$executeRaw`delete from sign_in_delays where updated_at < now() - interval '15 minutes'`;
  await db.$executeRaw`
    delete from report_keys k using incidents i where i.id = k.incident_id and i.created_at <= now() - ${IDEMPOTENCY_KEY_TTL}`;
  await db.$executeRaw`
    delete from graphile_worker._private_jobs
    where attempts >= max_attempts and locked_at is null and payload -> '_cron' is not null
      and run_at < now() - interval '6 hours'`;
  await db.$executeRaw`
    delete from graphile_worker._private_jobs
    where attempts >= max_attempts and locked_at is null and last_error like ${`mail.%: ${UNDELIVERABLE_MARKER} %`}
      and run_at < now() - interval '30 days'`;
}

/**
 * Removes the counters of rate limits and the promised retries of sign-ins that ran out, and what refused forms held. They
 * tell of what somebody has just done, so they stay minutes and not days (contract 7.3).
 */
export async function sweepCounters(): Promise<void> {
  await db.$executeRaw`delete from sign_in_retries where allowed_at < now() - interval '5 minutes'`;
  await db.$executeRaw`delete from rate_limits where expire < extract(epoch from now()) * 1000`;
  await db.$executeRaw`delete from form_returns where created_at < now() - interval '15 minutes'`;
}
