import { z } from "zod";
import {
  CONFLICT_CHECK_STATUSES,
  incidentStateSchema,
  MAX_REPORTED_PERSON_NAME_LENGTH,
  severitySchema,
} from "#lib/incidents/schema.ts";
import {
  convertBlankToNull,
  idOutput,
  limitQuery,
  optionalTextInput,
  pageNumberQuery,
  Pagination,
  textInput,
  timeOutput,
} from "#lib/operation/fields.ts";

/** Shapes of who can read an incident (contract 16). */

/** In characters. */
const MAX_REASON_LENGTH = 500;

const Person = z.object({ id: idOutput, name: z.string() });

const Reader = z.object({
  /** Null where the names aren't for whoever asks: a reporter learns those of a team that its event shows. */
  person: Person.nullable(),
  /** On the response team, a SystemAdmin who isn't, or the outside person. */
  as: z.enum(["team", "systemAdmin", "outsidePerson"]),
  /** `ask`: once they have answered the conflict check. `none`: only in an emergency. */
  access: z.enum(["none", "ask", "full"]),
  /** What they answered to the conflict check; null where they weren't asked or haven't answered. */
  answer: z.enum(["none", "soft"]).nullable(),
  /** Until when they read it in an emergency; null otherwise. */
  openedUntil: timeOutput.nullable(),
});
export type ReaderRecord = z.input<typeof Reader>;

const HiddenFrom = z.object({
  /** Null when the account was deleted. */
  person: Person.nullable(),
  /**
   * Who decided it: the reporter, an Admin of the event, or the person themselves, who stepped out (`self`). `list`: nobody is known to
   * have, since they joined the team after the incident had got its list, or a restored backup repeated it.
   */
  source: z.enum(["reporter", "team", "self", "list"]),
  /** The reason that the Admin or the person who stepped out wrote; for the team only. */
  reason: z.string().nullable(),
  /** Whether whoever asks may let them in. */
  canLetIn: z.boolean(),
  /** Until when the person sees the incident after all, as a SystemAdmin who gave a reason; null otherwise. */
  openedUntil: timeOutput.nullable(),
  createdAt: timeOutput,
});

const Emergency = z.object({
  id: idOutput,
  /** Null once the account is gone. */
  person: Person.nullable(),
  reason: z.string().nullable(),
  at: timeOutput,
});
export type EmergencyRecord = z.input<typeof Emergency>;

export const ReaderList = z.object({
  /** Whether only the people on its list read the incident. */
  listed: z.boolean(),
  /** Whether whoever asks reads it because they opened it in an emergency, and so can't change anything. */
  inEmergency: z.boolean(),
  /** Whether whoever asks may end its list. */
  canEndList: z.boolean(),
  /** Who can read it at present, apart from its reporter: the team first, by name. */
  readers: z.array(Reader),
  /** From whom it is hidden, oldest first. */
  hiddenFrom: z.array(HiddenFrom),
  /** When it was opened in an emergency, by whom and why, oldest first; for the team only. */
  emergencies: z.array(Emergency),
  /** The outside person, who reads the incident when nobody on the team may; null otherwise. */
  outsidePerson: Person.nullable(),
  /** Whether anybody on the team, or the outside person, can read the incident at present. */
  hasReader: z.boolean(),
  /** Members of the organization who aren't on the team; empty unless whoever asks may hide the incident from them. */
  organizationMembers: z.array(Person),
});
export type ReaderListRecord = z.input<typeof ReaderList>;
export type HiddenFromRecord = z.input<typeof HiddenFrom>;

const ClosedIncident = z.object({ id: idOutput, title: z.string() });
export type ClosedIncidentRecord = z.input<typeof ClosedIncident> & { reporterId: string | null };

export const ClosedIncidents = z.object({
  /** At most 100, newest first. */
  incidents: z.array(ClosedIncident),
  total: z.int(),
});

const optionalReason = z
  .preprocess(convertBlankToNull, textInput(1, MAX_REASON_LENGTH).nullable())
  .default(null);

/** `none` hides the incident from the person, `full` lets them in, to as much as their roles allow. */
export const ReaderInput = z.object({ access: z.enum(["none", "full"]), reason: optionalReason });

export const StepOutInput = z.object({ reason: optionalReason });

export const EmergencyInput = z.object({ reason: textInput(10, MAX_REASON_LENGTH) });
export type EmergencyInput = z.output<typeof EmergencyInput>;

/** When the incident is closed to the person again. */
export const EmergencyResponse = z.object({ openedUntil: timeOutput });

export const OutsideIncidentList = z.object({
  incidents: z.array(
    z.object({
      id: idOutput,
      /** Null until the outside person has answered the conflict check. */
      title: z.string().nullable(),
      state: incidentStateSchema,
      severity: severitySchema.nullable(),
      createdAt: timeOutput,
      event: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
    }),
  ),
});
export type OutsideIncidentRecord = z.input<typeof OutsideIncidentList>["incidents"][number];

export const IncidentWithoutReaderList = z.object({
  incidents: z.array(
    z.object({
      id: idOutput,
      createdAt: timeOutput,
      event: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
      organization: z.object({ name: z.string(), slug: z.string() }),
    }),
  ),
});
export type IncidentWithoutReaderRecord = z.input<typeof IncidentWithoutReaderList>["incidents"][number];

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
