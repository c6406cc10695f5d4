import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import {
  convertBlankToNull,
  idOutput,
  textChangeInput,
  httpsUrlInput,
  phoneInput,
  timeOutput,
  hasChange,
} from "#lib/operation/fields.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { findEventReportSettingsAndTeam } from "#lib/events/report-settings-queries.ts";
import { assertAndLockEventAdmin } from "#lib/events/roles.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * An event's settings for people who report: who may report, who responds, how soon, whom to call, and where quick exit
 * leads; and whether search engines find its page.
 */

/** In characters. */
export const MAX_EMERGENCY_CONTACT_LENGTH = 300;
/** Hours within which an event may promise a first response: up to a month. */
export const FIRST_RESPONSE_PROMISE_LIMITS_HOURS = { min: 1, max: 720 };
/** Days within which a reporter is to hear from the team again; `usual` is the default. */
export const NEXT_UPDATE_PROMISE_LIMITS_DAYS = { min: 1, max: 90, usual: 7 };
/** The default URL of quick exit: an inconspicuous page. */
export const DEFAULT_QUICK_EXIT_URL = "https://www.wikipedia.org/";

/** The people who may report: anyone with an account, or only people with a role in the event. */
export const WHO_CAN_REPORT = ["account", "invite"] as const;

export const ReportSettings = z.object({
  whoCanReport: z.enum(WHO_CAN_REPORT),
  /** Whether search engines may list the public page while the event is active. */
  searchEngines: z.boolean(),
  /** Whether anybody may report without an account, and come back with a receipt (contract 14). */
  withoutAccount: z.boolean(),
  /** Whether the public page names the response team. */
  showTeam: z.boolean(),
  /** The contact to call in danger, in the event's own words. */
  emergencyContact: z.string().nullable(),
  /** Phone number of that outside person. */
  emergencyPhone: z.string().nullable(),
  /** Number of the emergency services where the event takes place. */
  emergencyNumber: z.string().nullable(),
  exitUrl: z.string(),
  /** Hours within which the team promises a first response; null for no promise. */
  answerWithinHours: z.int().nullable(),
  /** Days within which a reporter gets the next update or a reply; the team's deadlines count them. */
  nextUpdateWithinDays: z.int(),
  /** The response team by name if the event shows it; otherwise empty. */
  team: z.array(z.object({ id: idOutput, name: z.string(), role: z.enum(["Responder", "Admin"]) })),
  /** Whether anybody on the team can read reports now; otherwise the event isn't open (contract 6.10). */
  hasReader: z.boolean(),
  /**
   * The person who reads a report that its reporter hides from the whole team; null if the organization has no such
   * outside person, or the outside person is on the team.
   */
  outsidePerson: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** Whether the organization has the conflict check, so that the form asks whom the report is about (contract 16.9). */
  conflictCheck: z.boolean(),
  /** Last change, for `If-Match`; the event's creation as long as nothing was set. */
  updatedAt: timeOutput,
});
export type ReportSettings = z.output<typeof ReportSettings>;

const optionalWholeNumber = ({ min, max }: { min: number; max: number }) => {
  const problem = encodeFieldProblem("mustBeWholeNumberBetween", { min, max });
  return z
    .preprocess(convertBlankToNull, z.int(problem).min(min, problem).max(max, problem).nullable())
    .optional();
};

const optionalPhoneInput = z.preprocess(convertBlankToNull, phoneInput.nullable()).optional();

/** A change has at least one member. Missing members stay; null or blank resets one to nothing or its default. */
export const ReportSettingsChangeInput = z
  .object({
    whoCanReport: z.enum(WHO_CAN_REPORT).optional(),
    searchEngines: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
    withoutAccount: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
    showTeam: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
    emergencyContact: textChangeInput(MAX_EMERGENCY_CONTACT_LENGTH),
    emergencyPhone: optionalPhoneInput,
    emergencyNumber: optionalPhoneInput,
    exitUrl: z.preprocess(convertBlankToNull, httpsUrlInput("https://example.org").nullable()).optional(),
    answerWithinHours: optionalWholeNumber(FIRST_RESPONSE_PROMISE_LIMITS_HOURS),
    nextUpdateWithinDays: optionalWholeNumber(NEXT_UPDATE_PROMISE_LIMITS_DAYS),
  })
  .refine(hasChange, encodeFieldProblem("needsChange"));
type ReportSettingsChangeInput = z.output<typeof ReportSettingsChangeInput>;

export type ReportSettingsRecord = z.input<typeof ReportSettings>;

/**
 * Loads the settings and the team in one query. @throws AppError NOT_FOUND when the event was deleted since its path
 * was resolved
 */
export async function loadEventReportSettings(
  eventId: string,
  client?: Pick<SqlClient, "$queryRaw">,
): Promise<ReportSettingsRecord> {
  const defaults = { nextUpdateWithinDays: NEXT_UPDATE_PROMISE_LIMITS_DAYS.usual };
  const row = await findEventReportSettingsAndTeam(eventId, defaults, client);
  if (!row) throw createNotFoundError("event");
  return { ...row, exitUrl: row.exitUrl ?? DEFAULT_QUICK_EXIT_URL };
}

/**
 * Saves the given settings, unless none of them differs from what is stored.
 * @throws AppError CONFLICT when `If-Match` differs from the settings' `updatedAt`
 */
export async function saveReportSettings(
  context: OperationContext<EventPermissionSubject, Actor>,
  change: ReportSettingsChangeInput,
): Promise<void> {
  const { eventId, actor, call } = context;
  await runTransaction(async (tx) => {
    await assertAndLockEventAdmin(tx, actor, eventId);
    assertIfMatch("settings", call, await lockSettings(tx, eventId));
    const fields = listChangedFields(await loadEventReportSettings(eventId, tx), change);
    if (fields.length === 0) return;
    await tx.eventReportSettings.upsert({
      where: { eventId },
      create: { eventId, ...change },
      update: change,
    });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "event.changeReportSettings",
        { type: "event", id: eventId },
        {
          fields,
          showTeam: change.showTeam ?? null,
          whoCanReport: change.whoCanReport ?? null,
        },
      ),
    );
  });
}

/** Locks the event's row, because there may be no row of settings yet. */
async function lockSettings(tx: Tx, eventId: string): Promise<Date> {
  const event = await lockRow(tx, { table: "events", id: eventId }, ["createdAt"]);
  if (!event) throw createNotFoundError("event");
  const settings = await tx.eventReportSettings.findUnique({
    where: { eventId },
    select: { updatedAt: true },
  });
  return settings?.updatedAt ?? event.createdAt;
}
