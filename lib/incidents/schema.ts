import { z } from "zod";
import {
  booleanText,
  changedText,
  id,
  idOut,
  limit,
  optionalText,
  page,
  Pagination,
  search,
  strictLimit,
  text,
  timeInput,
  timeText,
} from "#lib/operation/fields.ts";
import { CLEAN_STATES, REVEALS } from "#lib/files/cleaning/reveals.ts";

/** Shapes of incidents (contract 7). */

export const STATES = ["submitted", "acknowledged", "investigating", "resolved", "closed"] as const;
export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
/** What a report counts as by severity: that none is set is one of them. */
export const SEVERITIES_AND_NONE = [...SEVERITIES, "none"] as const;
export const CONTACT_METHODS = ["email", "phone", "in_person", "no_contact"] as const;

export type State = (typeof STATES)[number];
export type Severity = (typeof SEVERITIES)[number];

export const TITLE_MIN = 10;
export const TITLE_MAX = 70;
export const DESCRIPTION_MAX = 20_000;
export const LOCATION_MAX = 500;
export const PARTIES_MAX = 2_000;
export const NOTES_MAX = 10_000;
const TYPE_MAX = 60;

/** What one file shows, in characters. */
export const FILE_DESCRIPTION_MAX = 500;

/** Related files: up to 10 a request, 10 MiB each, 50 MiB together (contract 9.1). */
export const FILES = { count: 10, bytesEach: 10 * 1024 * 1024, bytesTotal: 50 * 1024 * 1024 };

export const title = text(TITLE_MIN, TITLE_MAX);
const notes = optionalText(NOTES_MAX);
const blankAsNull = (value: unknown) => (value === "" ? null : value);
const severity = z.preprocess(blankAsNull, z.enum(SEVERITIES).nullable());

/**
 * What the files show: a line for each of them in their order, blank where one has none. One line alone holds for all
 * of them.
 */
const fileDescriptions = z
  .string("must be text")
  .transform((value) => value.split(/\r\n|\r|\n/))
  .pipe(z.array(text(0, FILE_DESCRIPTION_MAX).transform((line) => line || null)))
  .meta({
    type: "string",
    description: "A line for each file, in their order; one line alone holds for all.",
  });

/** What a report is made of. Files come beside it, as `relatedFiles` or `relatedFiles[]`. */
export const NewIncident = z.object({
  title,
  description: text(1, DESCRIPTION_MAX),
  type: optionalText(TYPE_MAX),
  location: optionalText(LOCATION_MAX),
  parties: optionalText(PARTIES_MAX),
  contactMethod: z.enum(CONTACT_METHODS).default("email"),
  severity: severity.default(null),
  incidentAt: z.preprocess(blankAsNull, timeInput.nullable()).default(null),
  anonymous: z.union([z.boolean(), booleanText], "must be true or false").default(false),
  fileDescriptions: fileDescriptions.optional(),
});
export type NewIncident = z.output<typeof NewIncident>;

export const StateChange = z
  .object({ state: z.enum(STATES), notes, assignedToUserId: z.preprocess(blankAsNull, id.nullish()) })
  .superRefine((change, issues) => {
    const missing = (field: string) =>
      issues.addIssue({ code: "custom", path: [field], message: `is needed to move to ${change.state}` });
    if ((change.state === "investigating" || change.state === "resolved") && !change.notes) missing("notes");
    if (change.state === "investigating" && !change.assignedToUserId) missing("assignedToUserId");
  });
export type StateChange = z.output<typeof StateChange>;

export const Reopening = z.object({
  notes: text(1, NOTES_MAX),
  assignedToUserId: z.preprocess(blankAsNull, id.nullish()),
});
export type Reopening = z.output<typeof Reopening>;

export const IncidentChange = z
  .object({
    assignedResponderId: z.preprocess(blankAsNull, id.nullable()).optional(),
    severity: severity.optional(),
    resolution: changedText(NOTES_MAX),
    state: z.enum(STATES).optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    "give at least one of assignedResponderId, severity, resolution, state",
  );
export type IncidentChange = z.output<typeof IncidentChange>;

export const TitleChange = z.object({ title });

const Person = z.object({ id: idOut, name: z.string(), email: z.string().nullable() });

export const RelatedFile = z.object({
  id: idOut,
  /** Name and type of what is downloaded: a picture in HEIC is a JPEG by then. */
  filename: z.string(),
  mimetype: z.string(),
  /** Bytes of what is downloaded. */
  size: z.int(),
  createdAt: timeText,
  /** SHA-256 of the file as it was uploaded. */
  sha256: z.string(),
  description: z.string().nullable(),
  /** What the metadata of the upload gives away. */
  reveals: z.array(z.enum(REVEALS)),
  /** Is it free of metadata? `cleaned` where a copy without it is handed out. */
  clean: z.enum(CLEAN_STATES),
  /** The upload itself is kept, sealed. */
  hasOriginal: z.boolean(),
  /** For the team: null where a report is anonymous. */
  uploadedBy: z.object({ id: idOut, name: z.string() }).nullable().optional(),
  /** For the team. */
  visibleToReporter: z.boolean().optional(),
});
export type RelatedFile = z.output<typeof RelatedFile>;

/** The full record, everywhere the same (contract 7.1). */
export const Incident = z.object({
  id: idOut,
  title: z.string(),
  description: z.string(),
  state: z.enum(STATES),
  severity: z.enum(SEVERITIES).nullable(),
  incidentAt: timeText.nullable(),
  location: z.string().nullable(),
  parties: z.string().nullable(),
  eventId: idOut,
  reporterId: idOut.nullable(),
  assignedResponderId: idOut.nullable(),
  resolution: z.string().nullable(),
  firstResponseAt: timeText.nullable(),
  resolvedAt: timeText.nullable(),
  escalatedAt: timeText.nullable(),
  reopenedAt: timeText.nullable(),
  createdAt: timeText,
  updatedAt: timeText,
  type: z.string().nullable(),
  contactMethod: z.enum(CONTACT_METHODS),
  event: z.object({ id: idOut, name: z.string(), slug: z.string() }),
  reporter: Person.nullable(),
  assignedResponder: Person.nullable(),
  relatedFiles: z.array(RelatedFile),
});
export type Incident = z.output<typeof Incident>;

export const OneIncident = z.object({ incident: Incident });
export const IncidentList = z.object({ incidents: z.array(Incident), pagination: Pagination });

export const OPEN_STATES = ["submitted", "acknowledged", "investigating"] as const satisfies readonly State[];
/** What is due next: its time is over, comes within a day, or comes later (docs/decisions/020). */
export const DUE = ["overdue", "soon", "later"] as const;
/** Whose answer is waited for: the other side wrote the last message. */
export const AWAITING = ["reporter", "team"] as const;
const ASSIGNED = ["me", "unassigned", "others"] as const;
export type Assigned = (typeof ASSIGNED)[number];
export type Due = (typeof DUE)[number];
export type Awaiting = (typeof AWAITING)[number];

/** Values of a filter with commas between; what has one of them fits (docs/decisions/016). */
const anyOf = <Value extends string>(values: readonly Value[]) =>
  z
    .string()
    .transform((given) => [...new Set(given.split(","))] as Value[])
    .refine((given) => given.every((value) => values.includes(value)), `must be one of ${values.join(", ")}`)
    .meta({ type: "string", description: `One of ${values.join(", ")}, or several with commas between.` });

const filters = {
  page,
  search,
  status: anyOf(STATES).optional(),
  severity: anyOf(SEVERITIES_AND_NONE).optional(),
  priority: anyOf(SEVERITIES_AND_NONE).optional(),
  assigned: anyOf(ASSIGNED).optional(),
  /** Reported at this time or later; before this time. */
  from: timeInput.optional(),
  to: timeInput.optional(),
  files: booleanText.optional(),
  anonymous: booleanText.optional(),
  escalated: booleanText.optional(),
  pinned: booleanText.optional(),
  due: anyOf(DUE).optional(),
  awaiting: anyOf(AWAITING).optional(),
  sort: z.enum(["title", "createdAt", "status", "due"]).default("createdAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
};

/** By id the default limit is 10 (contract 3.10). */
export const ListByEventId = z.object({ ...filters, limit: limit(10) });
/** By slug it is 100 (contract 3.10). */
export const ListByEventSlug = z.object({ ...filters, limit: limit(100) });
/** Across events: 20, and 1 to 100 only (contract 7.13). */
export const ListAcrossEvents = z.object({
  ...filters,
  limit: strictLimit(20),
  event: z
    .string()
    .min(1, "must be an event's id or slug")
    .max(2000, "must be an event's id or slug")
    .transform((given) => [...new Set(given.split(","))])
    .meta({ type: "string", description: "An event's id or slug, or several with commas between." })
    .optional(),
});

/** What one person reported or is assigned to: every filter, and which of the two (contract 7.12). */
export const ListOfPerson = z.object({
  ...filters,
  limit: limit(20),
  type: z.enum(["submitted", "assigned", "all"]).default("all"),
});

export type ListQuery = z.output<typeof ListByEventId>;
export type CrossEventQuery = z.output<typeof ListAcrossEvents>;
