import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  convertBlankToNull,
  dayInput,
  idOutput,
  textInput,
  timeOutput,
  wholeNumberQuery,
} from "#lib/operation/fields.ts";

/** Retention: the deletion of finished reports, and holds (contract 17). */

export const MAX_RETENTION_MONTHS = 240;
export const MAX_HOLD_REASON_LENGTH = 1000;

/** The numbers of days before a deletion on which people are notified, in the order in which they come. */
export const DELETION_NOTICE_LEAD_DAYS = [30, 7, 1] as const;
/** The number of days after a change of the rules, or the release of a hold, in which nothing is deleted. */
export const RETENTION_CHANGE_GRACE_DAYS = 30;
/** The number of days for which a report is kept after the last message, note or other entry in its history. */
export const MIN_RETENTION_AFTER_LAST_ACTIVITY_DAYS = 14;
/** The minimum number of days between a notice to the team and the deletion, whatever makes the report due. */
export const MIN_DELETION_NOTICE_DAYS = 7;

const monthsOutput = z.int().nullable();
const MONTHS_PROBLEM = encodeFieldProblem("mustBeWholeNumberBetween", {
  min: 1,
  max: MAX_RETENTION_MONTHS,
});
const monthsInput = z.int(MONTHS_PROBLEM).min(1, MONTHS_PROBLEM).max(MAX_RETENTION_MONTHS, MONTHS_PROBLEM);

/** Months after a report was resolved or closed; null keeps reports until somebody deletes them. */
export const RetentionRules = z.object({
  resolvedMonths: monthsOutput,
  closedMonths: monthsOutput,
  /** For reports without a name, where it is shorter than the other periods. */
  withoutNameMonths: monthsOutput,
  changedAt: timeOutput.nullable(),
});
export type RetentionRules = z.input<typeof RetentionRules>;

/** Rules that aren't given stay unchanged. */
export const RetentionRulesChangeInput = z
  .object({
    resolvedMonths: monthsInput.nullable().optional(),
    closedMonths: monthsInput.nullable().optional(),
    withoutNameMonths: monthsInput.nullable().optional(),
  })
  .refine(
    (change) => Object.values(change).some((one) => one !== undefined),
    encodeFieldProblem("needsChange"),
  );
export type RetentionRulesChangeInput = z.output<typeof RetentionRulesChangeInput>;

/**
 * The months in which an organization's reports will be deleted, as numbers of reports: a member of the organization
 * learns nothing about one report (contract 17.1).
 */
export const RetentionSchedule = z.object({
  /** By month of the deletion and event, the next one first. */
  months: z.array(
    z.object({
      month: z.string().meta({ examples: ["2027-03"] }),
      reports: z.int(),
      events: z.array(z.object({ id: idOutput, name: z.string(), slug: z.string(), reports: z.int() })),
    }),
  ),
  /** Finished reports that no rule applies to, and those on hold. */
  undated: z.int(),
  held: z.int(),
  /** Reports that were deleted by the rules so far. */
  deleted: z.int(),
});
export type RetentionSchedule = z.output<typeof RetentionSchedule>;

export const RetentionRulesAndSchedule = z.object({ rules: RetentionRules, schedule: RetentionSchedule });

const monthsQuery = z
  .preprocess(convertBlankToNull, wholeNumberQuery(1, MAX_RETENTION_MONTHS).nullable())
  .optional();

/** Rules to preview: the schedule is computed as if they were saved now. A blank value keeps reports. */
export const RetentionPreviewQuery = z.object({
  resolvedMonths: monthsQuery,
  closedMonths: monthsQuery,
  withoutNameMonths: monthsQuery,
});

const day = z.string().meta({ format: "date" });

const RETENTION_RULE_NAMES = ["resolved", "closed", "withoutName"] as const;
const DELETION_DELAY_REASONS = ["message", "rules", "release", "notice"] as const;

export const RetentionDate = z.object({
  /** The UTC day; null while the report is open, no rule applies, or it is on hold. */
  deleteOn: day.nullable(),
  rule: z.enum(RETENTION_RULE_NAMES).nullable(),
  /** Months after the report was resolved or closed. */
  months: z.int().nullable(),
  /**
   * The cause that delays the deletion beyond the rule: a message or other step, a change of the rules, a released
   * hold, or a notice.
   */
  delayedBy: z.enum(DELETION_DELAY_REASONS).nullable(),
  onHold: z.boolean(),
});
export type RetentionDate = z.input<typeof RetentionDate>;

export const IncidentRetention = RetentionDate.extend({
  /** For the team only. */
  hold: z
    .object({
      heldBy: z.object({ id: idOutput, name: z.string() }).nullable(),
      reason: z.string(),
      reviewOn: day,
      heldAt: timeOutput,
      /** Whether the reader may release the hold. Whoever set it may only if nobody else on the team could. */
      canRelease: z.boolean(),
    })
    .nullable(),
});
export type IncidentRetention = z.input<typeof IncidentRetention>;
export const IncidentRetentionResponse = z.object({ retention: IncidentRetention });

export const NewRetentionHoldInput = z.object({
  reason: textInput(1, MAX_HOLD_REASON_LENGTH),
  reviewOn: dayInput,
});
export type NewRetentionHoldInput = z.output<typeof NewRetentionHoldInput>;
