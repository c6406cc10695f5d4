import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  booleanQuery,
  dayInput,
  textChangeInput,
  idInput,
  idOutput,
  optionalTextInput,
  Pagination,
  singleLineInput,
  textInput,
  timeInput,
  timeTextOutput,
} from "#lib/operation/fields.ts";
import { hasTextGap } from "#lib/operation/text-gaps.ts";
import { INCIDENT_STATES, OPEN_STATES, type IncidentState } from "#lib/access/incident-states.ts";
import { DAY_PARTS } from "#lib/incident-time.ts";
import {
  MAX_INCIDENT_SUMMARY_LENGTH,
  MAX_INCIDENT_TYPE_LENGTH,
  MAX_LOCATION_LENGTH,
  MAX_OUTCOME_MESSAGE_LENGTH,
  MAX_STATUS_NOTES_LENGTH,
  SEVERITIES,
} from "./limits.ts";
import { IncidentPerson, IncidentReporter, RelatedFile } from "./record-parts.ts";

/** Shapes of incidents (contract 7). */

export { INCIDENT_STATES, OPEN_STATES, type IncidentState, IncidentPerson, IncidentReporter, RelatedFile };
export { MAX_LOCATION_LENGTH, SEVERITIES };
/** Severities for counting, with `none` for a report that has none. */
export const SEVERITIES_AND_NONE = [...SEVERITIES, "none"] as const;
/** Answers to "Is it about someone on the team?"; `unnamed`: the reporter can't name them. */
export const ABOUT_TEAM_ANSWERS = ["no", "named", "unnamed", "everyone"] as const;
const CONTACT_METHODS = ["email", "phone", "in_person", "no_contact"] as const;

/**
 * How an incident under the conflict check was opened; `emergency`: without an answer, for a stated reason. A hard
 * conflict is stepping out (contract 16.4).
 */
const CONFLICT_CHECK_ANSWERS = ["none", "soft", "emergency"] as const;
export type ConflictCheckAnswer = (typeof CONFLICT_CHECK_ANSWERS)[number];
export const CONFLICT_CHECK_STATUSES = ["unanswered", ...CONFLICT_CHECK_ANSWERS] as const;

export type Severity = (typeof SEVERITIES)[number];

export const incidentStateSchema = z.enum(INCIDENT_STATES);
export const severitySchema = z.enum(SEVERITIES);

export const MIN_INCIDENT_TITLE_LENGTH = 10;
export const MAX_INCIDENT_TITLE_LENGTH = 70;
export const MAX_INCIDENT_DESCRIPTION_LENGTH = 20_000;
export const MAX_PARTIES_LENGTH = 2_000;
export const MAX_CONTACT_PHONE_LENGTH = 50;
export const MAX_REPORTED_PERSON_NAME_LENGTH = 200;
/** People from whom one report can be hidden as it is sent. */
const MAX_EXCLUDED_PEOPLE = 50;

/** Characters in the description of one file. */
export const MAX_FILE_DESCRIPTION_LENGTH = 500;

/** Evidence: up to 10 files a request, 10 MiB each, 50 MiB together (contract 9.1). */
export const EVIDENCE_UPLOAD_LIMITS = {
  count: 10,
  bytesEach: 10 * 1024 * 1024,
  bytesTotal: 50 * 1024 * 1024,
};

export const incidentTitleInput = singleLineInput(MAX_INCIDENT_TITLE_LENGTH, MIN_INCIDENT_TITLE_LENGTH);
const notes = optionalTextInput(MAX_STATUS_NOTES_LENGTH);
const convertEmptyToNull = (value: unknown) => (value === "" ? null : value);
const severity = z.preprocess(convertEmptyToNull, severitySchema.nullable());
const incidentAt = z.preprocess(convertEmptyToNull, timeInput.nullable());
const incidentOn = z.preprocess(convertEmptyToNull, dayInput.nullable());
const incidentDayPart = z.preprocess(convertEmptyToNull, z.enum(DAY_PARTS).nullable());

/** Descriptions of the files: one line for each, in their order, blank for none. A single line applies to all files. */
const fileDescriptions = z
  .string(encodeFieldProblem("mustBeText"))
  .transform((value) => value.split(/\r\n|\r|\n/))
  .pipe(z.array(textInput(0, MAX_FILE_DESCRIPTION_LENGTH).transform((line) => line || null)))
  .meta({
    type: "string",
    description: "One line for each file, in their order; a single line applies to all files.",
  });

/** People who must not see the report: an array of ids, or a text with the ids between commas or spaces. */
const excludedUserIds = z
  .preprocess(
    (value) => (typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : value),
    z
      .array(idInput, encodeFieldProblem("mustBeIds"))
      .max(MAX_EXCLUDED_PEOPLE, encodeFieldProblem("mustNameAtMost", { max: MAX_EXCLUDED_PEOPLE })),
  )
  .transform((ids) => [...new Set(ids)].toSorted())
  .default([]);

/** The fields of a report. Files come separately, as `relatedFiles` or `relatedFiles[]`. */
export const NewIncidentInput = z.object({
  title: incidentTitleInput.describe("What it is about, on one line."),
  description: textInput(1, MAX_INCIDENT_DESCRIPTION_LENGTH).describe("What happened."),
  type: optionalTextInput(MAX_INCIDENT_TYPE_LENGTH).describe("What kind of incident it is, in a few words."),
  location: optionalTextInput(MAX_LOCATION_LENGTH).describe("Where it happened."),
  parties: optionalTextInput(MAX_PARTIES_LENGTH).describe("Who was involved."),
  reportedPersonName: optionalTextInput(MAX_REPORTED_PERSON_NAME_LENGTH).describe(
    "The name of the person whom the report is about; the team sees it before it answers a conflict check.",
  ),
  contactMethod: z.enum(CONTACT_METHODS).default("email").describe("How the reporter wants to be contacted."),
  contactPhone: optionalTextInput(MAX_CONTACT_PHONE_LENGTH).describe(
    "Where to call; shown to the team only, and dropped unless `contactMethod` is `phone`.",
  ),
  severity: severity
    .default(null)
    .describe("`critical`: somebody is in danger now, and the whole team is told at once."),
  incidentAt: incidentAt.default(null).describe("When it happened."),
  incidentOn: incidentOn
    .default(null)
    .describe(
      "The day on which it happened, where no time is known. Without `incidentAt`, that becomes noon of the day in UTC.",
    ),
  incidentDayPart: incidentDayPart.default(null).describe("The part of that day, where it is known."),
  anonymous: z
    .union([z.boolean(), booleanQuery], encodeFieldProblem("mustBeBoolean"))
    .default(false)
    .describe("Whether the report names nobody: the response then has the receipt of its mailbox."),
  fileDescriptions: fileDescriptions.optional(),
  excludedUserIds: excludedUserIds.describe(
    "People of the team, invited to it or in the organization who must not see the report, nor learn that there is one.",
  ),
  aboutTeam: z
    .preprocess(convertEmptyToNull, z.enum(ABOUT_TEAM_ANSWERS).nullable())
    .default(null)
    .describe("Whether it is about somebody on the response team."),
  excludedName: optionalTextInput(MAX_REPORTED_PERSON_NAME_LENGTH).describe(
    "The name of somebody on the team, as the reporter knows it; whoever has it must not see the report.",
  ),
  openMailbox: z
    .union([z.boolean(), booleanQuery], encodeFieldProblem("mustBeBoolean"))
    .default(false)
    .describe("Whether to set the cookie of an anonymous report's mailbox."),
});
export type NewIncidentInput = z.output<typeof NewIncidentInput>;

/** Statuses that end the work on an incident, and that a message on the outcome can go with. */
const ENDING_STATES: readonly IncidentState[] = ["resolved", "closed"];
const outcome = optionalTextInput(MAX_OUTCOME_MESSAGE_LENGTH).refine(
  (text) => text === null || !hasTextGap(text),
  encodeFieldProblem("textHasGap"),
);
const canHaveOutcome = ({ state, outcome: text }: { state?: IncidentState; outcome: string | null }) =>
  text === null || (state !== undefined && ENDING_STATES.includes(state));
const OUTCOME_PROBLEM = { path: ["outcome"], message: encodeFieldProblem("outcomeNeedsEnd") };

export const IncidentStateChangeInput = z
  .object({
    state: incidentStateSchema,
    notes,
    /** A message to the reporter that tells the outcome, with `resolved` or `closed` only (contract 7.18). */
    outcome,
    assignedToUserId: z.preprocess(convertEmptyToNull, idInput.nullish()),
  })
  .superRefine((change, issues) => {
    const missing = (field: string) =>
      issues.addIssue({
        code: "custom",
        path: [field],
        message: encodeFieldProblem("neededForStatus", { state: { term: `state.${change.state}` } }),
      });
    if ((change.state === "investigating" || change.state === "resolved") && !change.notes) missing("notes");
    if (change.state === "investigating" && !change.assignedToUserId) missing("assignedToUserId");
    if (!canHaveOutcome(change)) issues.addIssue({ code: "custom", ...OUTCOME_PROBLEM });
  });
export type IncidentStateChangeInput = z.output<typeof IncidentStateChangeInput>;

export const IncidentReopeningInput = z.object({
  notes: textInput(1, MAX_STATUS_NOTES_LENGTH),
  assignedToUserId: z.preprocess(convertEmptyToNull, idInput.nullish()),
});
export type IncidentReopeningInput = z.output<typeof IncidentReopeningInput>;

export const IncidentChangeInput = z
  .object({
    assignedResponderId: z.preprocess(convertEmptyToNull, idInput.nullable()).optional(),
    severity: severity.optional(),
    resolution: textChangeInput(MAX_STATUS_NOTES_LENGTH),
    type: textChangeInput(MAX_INCIDENT_TYPE_LENGTH),
    location: textChangeInput(MAX_LOCATION_LENGTH),
    summary: textChangeInput(MAX_INCIDENT_SUMMARY_LENGTH).describe(
      "What it is about, in the team's words. The reporter doesn't see it.",
    ),
    incidentAt: incidentAt.optional().describe("When it happened. Any of the three sets all of them."),
    incidentOn: incidentOn.optional(),
    incidentDayPart: incidentDayPart.optional(),
    state: incidentStateSchema.optional(),
    outcome,
  })
  .refine(
    (change) => Object.entries(change).some(([name, value]) => name !== "outcome" && value !== undefined),
    encodeFieldProblem("needsOneOf", {
      fields:
        "assignedResponderId, severity, resolution, type, location, summary, incidentAt, incidentOn, incidentDayPart, state",
    }),
  )
  .refine(canHaveOutcome, OUTCOME_PROBLEM);
export type IncidentChangeInput = z.output<typeof IncidentChangeInput>;

export const IncidentTitleChangeInput = z.object({ title: incidentTitleInput });

/** The full record, the same in every response (contract 7.1). */
export const Incident = z.object({
  id: idOutput.describe("The report."),
  number: z.int().describe("What people call it by, in its event: drawn at random."),
  codeName: z.string().describe("The same in words, such as `birch-heron`."),
  title: z.string().describe("The title."),
  description: z.string().describe("What happened, as it was written."),
  state: incidentStateSchema.describe("The status of the work on the report."),
  severity: severitySchema.nullable().describe("How severe it is; null while nobody has said."),
  urgent: z.boolean().describe("Reported as critical and not acknowledged yet."),
  hasMailbox: z
    .boolean()
    .describe("Whether it is an anonymous report whose sender reads messages in a mailbox."),
  unconfirmed: z
    .boolean()
    .describe("Whether a team member wrote it down for somebody who hasn't confirmed the text."),
  mailboxClosed: z
    .boolean()
    .describe(
      "Whether the reporter of an anonymous report closed the mailbox for good, so messages no longer reach them.",
    ),
  withdrawn: z.boolean().describe("Whether the reporter of an anonymous report doesn't want it pursued."),
  incidentAt: timeTextOutput.nullable().describe("When it happened."),
  incidentOn: z
    .string()
    .meta({ format: "date" })
    .nullable()
    .describe(
      "The day on which it happened, where no time is known; `incidentAt` is then a time of that day.",
    ),
  incidentDayPart: z.enum(DAY_PARTS).nullable().describe("The part of that day, where it is known."),
  location: z.string().nullable().describe("Where it happened."),
  parties: z.string().nullable().describe("Who was involved, as the reporter wrote it."),
  eventId: idOutput.describe("The event at which it was reported."),
  reporterId: idOutput
    .nullable()
    .describe("The reporter's account; null for an anonymous report, and once the account is deleted."),
  assignedResponderId: idOutput.nullable().describe("The account of whoever it is assigned to."),
  summary: z.string().nullable().describe("What it is about, in the team's words; null for the reporter."),
  resolution: z.string().nullable().describe("The team's record of how it ended; null for the reporter."),
  firstResponseAt: timeTextOutput.nullable().describe("When the status first left `submitted`."),
  resolvedAt: timeTextOutput.nullable().describe("When it was resolved or closed; null once it is reopened."),
  escalatedAt: timeTextOutput
    .nullable()
    .describe("When it became critical, or the deadline of the first response passed without one."),
  reopenedAt: timeTextOutput.nullable().describe("When it was last reopened."),
  createdAt: timeTextOutput.describe("When it was reported."),
  updatedAt: timeTextOutput.describe("When the record last changed; `If-Match` takes it."),
  type: z.string().nullable().describe("What kind of incident it is, in a few words."),
  contactMethod: z.enum(CONTACT_METHODS).describe("How the reporter wants to be contacted."),
  contactPhone: z
    .string()
    .nullable()
    .describe("Where to call the reporter. For the team only; otherwise null."),
  event: z
    .object({ id: idOutput, name: z.string(), slug: z.string() })
    .describe("The event at which it was reported."),
  reporter: IncidentReporter.nullable().describe(
    "The reporter; null for an anonymous report, and once the account is deleted.",
  ),
  assignedResponder: IncidentPerson.nullable().describe("Whoever it is assigned to."),
  relatedFiles: z.array(RelatedFile).describe("The files that the reader may see."),
  reportedPersonName: z
    .string()
    .nullable()
    .describe(
      "The name of the person whom the report is about, which the team sees before it answers the conflict check. For the team only; otherwise null.",
    ),
  conflictCheck: z
    .enum(CONFLICT_CHECK_ANSWERS)
    .nullable()
    .describe("The reader's answer to the conflict check. Null where they aren't asked."),
});
export type Incident = z.output<typeof Incident>;

export const IncidentResponse = z.object({ incident: Incident });
/** `receipt`: the seven words that open the mailbox of an anonymous report, shown this once. */
export const SubmittedIncidentResponse = IncidentResponse.extend({ receipt: z.string().optional() });
export const IncidentList = z.object({ incidents: z.array(Incident), pagination: Pagination });
