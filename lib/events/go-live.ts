import { z } from "zod";
import { isVerifiedSql } from "#lib/operation/verified-sql.ts";
import { sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { notHiddenSql } from "#lib/operation/hidden-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { REPORTER_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/operation/policy-sql.ts";

/** The steps that an event needs before it is announced, and whether the service has seen each done (contract 6.9). */

export const GO_LIVE_STEPS = ["team", "reporting", "contact", "conduct", "poster"] as const;
export type GoLiveStep = (typeof GO_LIVE_STEPS)[number];

export const GoLiveProgress = z.object({
  /** Whether every step is done. */
  ready: z.boolean(),
  steps: z.array(z.object({ step: z.enum(GO_LIVE_STEPS), done: z.boolean() })),
});

/** People who must share the work, so that a report about one of them has another reader. */
const MIN_TEAM_SIZE = 2;

/**
 * Loads the steps that an event needs before it is announced. @throws AppError NOT_FOUND when the event was deleted
 * since its path was resolved
 */
export async function loadGoLiveProgress(
  eventId: string,
  { hiddenIncidentIds }: Pick<Actor, "hiddenIncidentIds">,
): Promise<z.input<typeof GoLiveProgress>> {
  const [row] = await sql.$queryRaw<Record<GoLiveStep, boolean>[]>`
    select (select count(distinct r.user_id) from event_roles r join users u on u.id = r.user_id
        where r.event_id = e.id and r.role_name in ${TEAM_ROLES_SQL} and not r.pending
          and u.disabled_at is null and ${isVerifiedSql()}) >= ${MIN_TEAM_SIZE}::int as team,
      exists (select 1 from incidents i where i.event_id = e.id and ${notHiddenSql(hiddenIncidentIds)})
        or exists (select 1 from event_roles r where r.event_id = e.id and r.role_name in ${REPORTER_ROLES_SQL} and not r.pending) as reporting,
      e.contact_email is not null and s.emergency_contact is not null as contact,
      e.code_of_conduct is not null as conduct, s.poster_opened_at is not null as poster
    from events e left join event_report_settings s on s.event_id = e.id where e.id = ${eventId}::uuid`;
  if (!row) throw createNotFoundError("event");
  const steps = GO_LIVE_STEPS.map((step) => ({ step, done: row[step] }));
  return { ready: steps.every(({ done }) => done), steps };
}

/**
 * Records when the poster was first opened, and returns the URL in its QR code. That isn't a change of the settings, so
 * `updatedAt` stays.
 */
export async function recordPosterOpening(eventId: string, slug: string): Promise<{ address: string }> {
  await sql.$executeRaw`
    insert into event_report_settings (event_id, poster_opened_at, updated_at)
    select id, now(), created_at from events where id = ${eventId}::uuid
    on conflict (event_id) do update set poster_opened_at = excluded.poster_opened_at
      where event_report_settings.poster_opened_at is null`;
  return { address: buildReportFormUrl(slug) };
}

/** Builds the URL of the report form, which the poster's QR code holds. */
export const buildReportFormUrl = (slug: string): string => `${env().baseUrl}/e/${slug}/report`;
