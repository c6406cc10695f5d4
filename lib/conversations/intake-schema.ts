import { z } from "zod";
import { INTAKE_SUPPORT_STEPS } from "#lib/conversations/support-steps.ts";
import { MAX_COMMENT_LENGTH } from "#lib/conversations/comment-schema.ts";
import {
  IncidentResponse,
  NewIncidentInput,
  incidentTitleInput,
  MAX_INCIDENT_DESCRIPTION_LENGTH,
  MAX_LOCATION_LENGTH,
  MAX_PARTIES_LENGTH,
  MAX_REPORTED_PERSON_NAME_LENGTH,
} from "#lib/incidents/schema.ts";
import { NewReportWithoutAccountInput } from "#lib/conversations/schema.ts";
import {
  convertBlankToNull,
  idInput,
  idOutput,
  optionalTextInput,
  textChangeInput,
  textInput,
  timeInput,
  timeOutput,
} from "#lib/operation/fields.ts";

/** Shapes of reports that a team member writes down for somebody (contract 14.4). */

export const INTAKE_CHANNELS = ["in_person", "phone", "chat", "email", "overheard"] as const;

const channel = z.enum(INTAKE_CHANNELS);
const optionalTime = z.preprocess(convertBlankToNull, timeInput.nullable()).default(null);
const NewFirstResponse = z.object({ kind: z.enum(INTAKE_SUPPORT_STEPS), at: optionalTime });

/** A report in the person's own words, and separate fields that only the team reads. */
export const NewIntakeInput = NewReportWithoutAccountInput.omit({
  fileDescriptions: true,
  openMailbox: true,
  contactPhone: true,
}).extend({
  channel,
  /** A second member of the team who was there. */
  witnessId: z.preprocess(convertBlankToNull, idInput.nullable()).default(null),
  /** The taker's own observations, which become a team note that the person never sees. */
  observations: optionalTextInput(MAX_COMMENT_LENGTH),
  /** The steps that were taken for the person, each at most once. */
  firstResponses: z.array(NewFirstResponse).max(INTAKE_SUPPORT_STEPS.length).default([]),
});
export type NewIntakeInput = z.output<typeof NewIntakeInput>;

/** The text as the person confirmed it on the screen. A missing field stays as the team member wrote it. */
export const ConfirmedIntakeText = z.object({
  title: incidentTitleInput.optional(),
  description: textInput(1, MAX_INCIDENT_DESCRIPTION_LENGTH).optional(),
  location: textChangeInput(MAX_LOCATION_LENGTH),
  parties: textChangeInput(MAX_PARTIES_LENGTH),
  reportedPersonName: textChangeInput(MAX_REPORTED_PERSON_NAME_LENGTH),
  /** Sets the cookie that shows the receipt on this device. It doesn't open the mailbox. */
  openMailbox: NewIncidentInput.shape.openMailbox,
});
export type ConfirmedIntakeText = z.output<typeof ConfirmedIntakeText>;

/** `receipt`: the seven words for the person to take along, shown this once. */
export const IncidentWithReceiptResponse = IncidentResponse.extend({ receipt: z.string() });

/** Hours after its filing in which a report can be read back to its person, who then confirms it. */
export const INTAKE_CONFIRMATION_WINDOW_HOURS = 24;

const IntakePerson = z.object({ id: idOutput, name: z.string() });

export const Intake = z.object({
  channel,
  /** When it was written down. */
  takenAt: timeOutput,
  /** The person who wrote it down. Null once their account is deleted. */
  taker: IntakePerson.nullable(),
  witness: IntakePerson.nullable(),
  /** When the person confirmed the text; null for as long as they haven't. */
  confirmedAt: timeOutput.nullable(),
  /** Whether the person changed the text before they confirmed it. */
  corrected: z.boolean(),
  /** Whether the caller took it or was the witness, and can still hand it to the person to read. */
  canConfirm: z.boolean(),
  firstResponses: z.array(z.object({ kind: z.enum(INTAKE_SUPPORT_STEPS), at: timeOutput.nullable() })),
});
export type IntakeRecord = z.input<typeof Intake>;
/** An intake in the form that pages receive. */
export type IntakeDetails = z.output<typeof Intake>;
/** Null for an incident that somebody reported themselves. */
export const IntakeResponse = z.object({ intake: Intake.nullable() });
