import { z } from "zod";
import { isVerifiedSql } from "#lib/accounts/email-verification.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { textChangeInput, httpsUrlInput, timeOutput } from "#lib/operation/fields.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { db, runTransaction, type Tx } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { lockEventAdmin } from "#lib/events/roles.ts";
import type { EventSubject } from "#lib/events/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** What an event says to those who report: who answers, how soon, whom to call, and where quick exit leads. */

/** Longest words about whom to call, in characters. */
export const MAX_EMERGENCY_CONTACT_LENGTH = 300;
/** Hours within which an event may promise a first answer: up to a month. */
export const FIRST_RESPONSE_HOURS = { min: 1, max: 720 };
/** Days within which a reporter is to hear from the team again, unless the event says otherwise. */
export const NEXT_UPDATE_DAYS = { min: 1, max: 90, usual: 7 };
/** Where quick exit leads unless the event says otherwise: a page that nobody wonders about. */
export const DEFAULT_EXIT_URL = "https://www.wikipedia.org/";
/** More names than anybody reads; a team is smaller. */
const MAX_TEAM_NAMES = 100;

export const ReportSettings = z.object({
  /** The public page names the response team. */
  showTeam: z.boolean(),
  /** Whom to call in danger, in the event's own words. */
  emergencyContact: z.string().nullable(),
  exitUrl: z.string(),
  /** Hours within which the team promises a first answer; null: it promises none. */
  answerWithinHours: z.int().nullable(),
  /** Days within which a reporter hears from the team again, or is answered; the team's clock counts them. */
  nextWordWithinDays: z.int(),
  /** The response team by name, where the event shows it; nobody otherwise. */
  team: z.array(z.object({ name: z.string(), role: z.enum(["Responder", "Admin"]) })),
  /** When they were changed last, for `If-Match`; when the event was made, as long as nothing was set. */
  updatedAt: timeOutput,
});
export type ReportSettings = z.output<typeof ReportSettings>;

const blankAsNull = (value: unknown) => (typeof value === "string" && value.trim() === "" ? null : value);
const optionalWholeNumber = ({ min, max }: { min: number; max: number }) => {
  const problem = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(blankAsNull, z.int(problem).min(min, problem).max(max, problem).nullable()).optional();
};

/** A change holds at least one member; what is missing stays, null or blank goes back to nothing or the default. */
export const ReportSettingsChange = z
  .object({
    showTeam: z.boolean("must be true or false").optional(),
    emergencyContact: textChangeInput(MAX_EMERGENCY_CONTACT_LENGTH),
    exitUrl: z.preprocess(blankAsNull, httpsUrlInput("https://example.org").nullable()).optional(),
    answerWithinHours: optionalWholeNumber(FIRST_RESPONSE_HOURS),
    nextWordWithinDays: optionalWholeNumber(NEXT_UPDATE_DAYS),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    "needs at least one thing to change",
  );
type ReportSettingsChange = z.output<typeof ReportSettingsChange>;

type ReportSettingsRecord = z.input<typeof ReportSettings>;
type ReportSettingsRow = Omit<ReportSettingsRecord, "exitUrl"> & { exitUrl: string | null };

/** One query, the team included. @throws AppError NOT_FOUND when the event went away since its path was resolved */
export async function findReportSettings(eventId: string): Promise<ReportSettingsRecord> {
  const [row] = await db.$queryRaw<ReportSettingsRow[]>`
    select coalesce(s.show_team, false) as "showTeam", s.emergency_contact as "emergencyContact",
      s.exit_url as "exitUrl", s.answer_within_hours as "answerWithinHours",
      coalesce(s.next_word_within_days, ${NEXT_UPDATE_DAYS.usual}::int) as "nextWordWithinDays",
      coalesce(s.updated_at, e.created_at) as "updatedAt",
      case when s.show_team then (
        select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'role', t.role)), '[]') from (
          select u.name, max(r.role_name)::text as role
          from event_roles r join users u on u.id = r.user_id
          where r.event_id = e.id and r.role_name in ('Responder', 'Admin') and not r.pending and u.disabled_at is null and ${isVerifiedSql()}
          group by u.id order by lower(u.name), u.id limit ${MAX_TEAM_NAMES}) t
      ) else '[]'::jsonb end as team
    from events e left join event_report_settings s on s.event_id = e.id
    where e.id = ${eventId}::uuid`;
  if (!row) throw notFound("This event");
  return { ...row, exitUrl: row.exitUrl ?? DEFAULT_EXIT_URL };
}

/** @throws AppError CONFLICT when `If-Match` holds another `updatedAt` than that of the settings */
export async function saveReportSettings(
  { organizationId, eventId, actor, right, call }: OperationContext<EventSubject, Actor>,
  change: ReportSettingsChange,
): Promise<void> {
  await runTransaction(async (tx) => {
    await lockEventAdmin(tx, actor, eventId);
    assertIfMatch("settings", call, await lockSettings(tx, eventId));
    await tx.eventReportSettings.upsert({
      where: { eventId },
      create: { eventId, ...change },
      update: change,
    });
    await appendAuditEntry(tx, {
      action: "event.changeReportSettings",
      organizationId,
      eventId,
      actorId: actor.id,
      right,
      object: { type: "event", id: eventId },
      data: { fields: Object.keys(change), showTeam: change.showTeam ?? null },
      requestId: call.requestId,
    });
  });
}

/** The event's row is held as well: there may be none of the settings yet. */
async function lockSettings(tx: Tx, eventId: string): Promise<Date> {
  await tx.$queryRaw`select 1 from events where id = ${eventId}::uuid for no key update`;
  const [row] = await tx.$queryRaw<{ updatedAt: Date }[]>`
    select coalesce(s.updated_at, e.created_at) as "updatedAt"
    from events e left join event_report_settings s on s.event_id = e.id where e.id = ${eventId}::uuid`;
  if (!row) throw notFound("This event");
  return row.updatedAt;
}
