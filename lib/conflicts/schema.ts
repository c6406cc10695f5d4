import { z } from "zod";
import {
  CONFLICT_CHECK_STATUSES,
  incidentStateSchema,
  MAX_REPORTED_PERSON_NAME_LENGTH,
  severitySchema,
} from "#lib/incidents/schema.ts";
import {
  idOutput,
  limitQuery,
  optionalTextInput,
  pageNumberQuery,
  Pagination,
  timeOutput,
} from "#lib/operation/fields.ts";

/** Shapes of the conflict check (contract 16.9). */

const CONFLICT_ANSWERS = ["none", "soft", "hard"] as const;

/** The answer to the conflict check; nobody has to give a reason. with `hard` they step out. */
export const NewConflictAnswerInput = z.object({ answer: z.enum(CONFLICT_ANSWERS) });
export type NewConflictAnswerInput = z.output<typeof NewConflictAnswerInput>;

/** Blank or null removes the name. */
export const ReportedPersonNameInput = z.object({ name: optionalTextInput(MAX_REPORTED_PERSON_NAME_LENGTH) });
export type ReportedPersonNameInput = z.output<typeof ReportedPersonNameInput>;

/** What somebody knows of an incident whose conflict check waits for their answer. */
const UnansweredIncident = z.object({
  id: idOutput,
  event: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
  state: incidentStateSchema,
  severity: severitySchema.nullable(),
  urgent: z.boolean(),
  createdAt: timeOutput,
  /** The name of the person whom the report is about, if it was given. */
  reportedPersonName: z.string().nullable(),
});
export type UnansweredIncident = z.output<typeof UnansweredIncident>;

export const UnansweredIncidentsQuery = z.object({
  /** An event, by id or slug; all events without it. */
  event: z.string().max(63).optional(),
  page: pageNumberQuery,
  limit: limitQuery(20),
});
export const UnansweredIncidentList = z.object({
  incidents: z.array(UnansweredIncident),
  pagination: Pagination,
});

const ConflictCheck = z.object({
  /** The reader's own answer; null where they aren't asked. */
  status: z.enum(CONFLICT_CHECK_STATUSES).nullable(),
  /** What the reader may know before they answer. */
  incident: UnansweredIncident,
});
export type ConflictCheckRecord = z.input<typeof ConflictCheck>;

export const ConflictCheckResponse = z.object({ conflictCheck: ConflictCheck });
