import { z } from "zod";
import { CONFLICT_CHECK_STATUSES, MAX_REPORTED_PERSON_NAME_LENGTH } from "#lib/incidents/schema.ts";
import { idOutput, optionalTextInput, textInput, timeOutput } from "#lib/operation/fields.ts";

/** Shapes of the conflict check (contract 18). */

/** In characters. */
const MAX_REASON_LENGTH = 500;
/** The number of people who must review a bypass of the conflict check, and the hours within which they must. */
export const CONFLICT_BYPASS_REVIEWERS_REQUIRED = 2;
export const CONFLICT_BYPASS_REVIEW_HOURS = 24;

const CONFLICT_ANSWERS = ["none", "soft", "hard"] as const;

/** The answer to the conflict check; nobody has to give a reason. `hard` recuses the person. */
export const NewConflictAnswerInput = z.object({ answer: z.enum(CONFLICT_ANSWERS) });
export type NewConflictAnswerInput = z.output<typeof NewConflictAnswerInput>;

export const NewConflictCheckBypassInput = z.object({ reason: textInput(10, MAX_REASON_LENGTH) });
export type NewConflictCheckBypassInput = z.output<typeof NewConflictCheckBypassInput>;

/** Blank or null removes the name. */
export const ReportedPersonNameInput = z.object({ name: optionalTextInput(MAX_REPORTED_PERSON_NAME_LENGTH) });
export type ReportedPersonNameInput = z.output<typeof ReportedPersonNameInput>;

const Person = z.object({ id: idOutput, name: z.string() });

const Bypass = z.object({
  id: idOutput,
  /** Null once the account is gone. */
  person: Person.nullable(),
  reason: z.string().nullable(),
  at: timeOutput,
  /** By people who haven't bypassed the incident's conflict check themselves. */
  reviews: z.array(z.object({ person: Person, at: timeOutput })),
  /** Whether two people have reviewed it, or the escalation contact. */
  isReviewed: z.boolean(),
  /**
   * The people who can review it: `team` if at least two have reviewed it or are on the team and can; otherwise
   * `contact` if the incident was referred to an escalation contact who can; otherwise `nobody`, even if one person on
   * the team can.
   */
  reviewers: z.enum(["team", "contact", "nobody"]),
  /** When the reviews are due. */
  reviewBy: timeOutput,
  /** Whether a review is still missing after `reviewBy`. */
  isOverdue: z.boolean(),
  /** Whether the reader can review it. */
  canReview: z.boolean(),
});

const ConflictCheck = z.object({
  /** The reader's own answer; null where they aren't asked. */
  status: z.enum(CONFLICT_CHECK_STATUSES).nullable(),
  reportedPersonName: z.string().nullable(),
  /** Whether the reader can review bypasses and do nothing else: they can't read the incident. */
  onlyReviews: z.boolean(),
  /** The people who have opened the incident; empty until the reader has opened it. */
  answers: z.array(
    z.object({ person: Person, answer: z.enum(["none", "soft"]).nullable(), answeredAt: timeOutput }),
  ),
  bypasses: z.array(Bypass),
});
export type ConflictCheckRecord = z.input<typeof ConflictCheck>;

export const ConflictCheckResponse = z.object({ conflictCheck: ConflictCheck });
