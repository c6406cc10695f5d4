import { z } from "zod";
import { sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { findGoLiveStepStatuses } from "#lib/events/queries.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import type { Reader } from "#lib/access/readers-sql.ts";

/** The steps that an event needs before it is announced, and whether the service has seen each done (contract 6.9). */

const GO_LIVE_STEPS = ["team", "reporting", "contact", "conduct", "poster"] as const;
export type GoLiveStep = (typeof GO_LIVE_STEPS)[number];

export const GoLiveProgress = z.object({
  /** Whether every step is done. */
  ready: z.boolean(),
  steps: z.array(z.object({ step: z.enum(GO_LIVE_STEPS), done: z.boolean() })),
});

/**
 * Loads the steps that an event needs before it is announced. @throws AppError NOT_FOUND when the event was deleted
 * since its path was resolved
 */
export async function loadGoLiveProgress(
  eventId: string,
  reader: Reader,
): Promise<z.input<typeof GoLiveProgress>> {
  const row = await findGoLiveStepStatuses(eventId, reader);
  if (!row) throw createNotFoundError("event");
  const steps = GO_LIVE_STEPS.map((step) => ({ step, done: row[step] }));
  return { ready: steps.every(({ done }) => done), steps };
}

/**
 * Records when the poster was first viewed, and returns the URL in its QR code, that of the report form. The record
 * isn't a change of the settings, so `updatedAt` stays.
 */
export async function markPosterViewedAndBuildReportFormUrl(
  eventId: string,
  slug: string,
): Promise<{ address: string }> {
  await sql.$executeRaw`
    insert into event_report_settings (event_id, poster_opened_at, updated_at)
    select id, now(), created_at from events where id = ${eventId}::uuid
    on conflict (event_id) do update set poster_opened_at = excluded.poster_opened_at
      where event_report_settings.poster_opened_at is null`;
  return { address: buildReportFormUrl(slug) };
}

/** Builds the URL of the report form, which the poster's QR code holds. */
export const buildReportFormUrl = (slug: string): string => `${env().baseUrl}/e/${slug}/report`;
