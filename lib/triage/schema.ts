import { z } from "zod";
import {
  idInput,
  idOutput,
  Pagination,
  strictLimitQuery,
  timeOutput,
  timeTextOutput,
  UUID_PATTERN,
} from "#lib/operation/fields.ts";
import {
  AWAITING_SIDES,
  IncidentsAcrossEventsQuery,
  SEVERITIES,
  SEVERITIES_AND_NONE,
  INCIDENT_STATES,
} from "#lib/incidents/schema.ts";

/** What a response team works with beside the records: how many there are of what, and what is new to a person. */

/** Counts of one's own go up to this, and mean "or more" there. */
export const MAX_EXACT_COUNT = 1000;
/** So many events are counted one by one. */
export const MAX_SUMMARY_EVENTS = 100;
/** So many incidents at once may be asked about, moved or exported. */
export const MAX_BULK_INCIDENTS = 100;

const commaSeparatedIds = (max: number) =>
  z
    .string()
    .transform((given) => [...new Set(given.toLowerCase().split(","))])
    .refine(
      (ids) => ids.length <= max && ids.every((one) => UUID_PATTERN.test(one)),
      `must be 1 to ${max} ids with commas between`,
    )
    .meta({ type: "string", description: `1 to ${max} ids with commas between.` });

export const IncidentSummaryQuery = IncidentsAcrossEventsQuery.pick({ event: true });
export type IncidentSummaryQuery = z.output<typeof IncidentSummaryQuery>;

const countFields = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodInt>);

/** Of the events in which one sees every incident. What is not in `byState` counts the open ones only. */
export const IncidentSummary = z.object({
  byState: countFields(INCIDENT_STATES),
  open: z.int(),
  openBySeverity: countFields(SEVERITIES_AND_NONE),
  openUnassigned: z.int(),
  openEscalated: z.int(),
  /** Assigned to oneself; 1000 means "or more". */
  openMine: z.int(),
  /** Whose time is over; 1000 means "or more". */
  openOverdue: z.int(),
  /** Whose reporter, or whose team, has an answer to give; 1000 means "or more". */
  openAwaiting: countFields(AWAITING_SIDES),
  /** Pinned by oneself, also those that one sees as their reporter. */
  pinned: z.int(),
  /** By name, at most 100. */
  events: z.array(
    z.object({ id: idOutput, name: z.string(), slug: z.string(), open: z.int(), total: z.int() }),
  ),
});
export type IncidentSummary = z.input<typeof IncidentSummary>;

export const IncidentMarksQuery = z.object({ ids: commaSeparatedIds(MAX_BULK_INCIDENTS) });

/** What the team owes, and until when (docs/decisions/020). */
export const ResponseDeadline = z.object({
  for: z.enum(["acknowledge", "word"]),
  since: timeOutput,
  at: timeOutput,
});
export type ResponseDeadline = z.input<typeof ResponseDeadline>;

export const IncidentMarks = z.object({
  /** Those that one may see, in no order. */
  marks: z.array(
    z.object({
      incidentId: idOutput,
      pinned: z.boolean(),
      /** Somebody else changed it since one last opened it, or one marked it so. For the team; else false. */
      unread: z.boolean(),
      /** Messages between reporter and team. */
      messages: z.int(),
      /** For the team, and while a clock runs; else null. */
      due: ResponseDeadline.nullable(),
      /** While it is open: whose answer the other side waits for. For the team; else null. */
      awaiting: z.enum(AWAITING_SIDES).nullable(),
    }),
  ),
});
export type IncidentMarks = z.input<typeof IncidentMarks>;

/** What the list of a desk says of an incident. */
export const InboxRow = z.object({
  id: idOutput,
  title: z.string(),
  state: z.enum(INCIDENT_STATES),
  severity: z.enum(SEVERITIES).nullable(),
  type: z.string().nullable(),
  eventId: idOutput,
  createdAt: timeTextOutput,
  updatedAt: timeTextOutput,
  event: z.object({ name: z.string(), slug: z.string() }),
  reporter: z.object({ name: z.string() }).nullable(),
  assignee: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** How many one may see. */
  files: z.int(),
  /** The rest as in `Marks`. */
  pinned: z.boolean(),
  unread: z.boolean(),
  messages: z.int(),
  due: z
    .object({ for: z.enum(["acknowledge", "word"]), since: timeTextOutput, at: timeTextOutput })
    .nullable(),
  awaiting: z.enum(AWAITING_SIDES).nullable(),
});
export type InboxRow = z.output<typeof InboxRow>;

export const InboxList = z.object({ rows: z.array(InboxRow), pagination: Pagination });

export const NewUnreadMarker = z.object({ incidentId: idInput, eventId: idInput });

export const SelectedIncidentsQuery = z.object({ ids: commaSeparatedIds(MAX_BULK_INCIDENTS) });

/** The filters of a list; what leaves comes newest first. */
export const FilteredIncidentsQuery = IncidentsAcrossEventsQuery.omit({
  page: true,
  limit: true,
  sort: true,
  order: true,
});

/** A list, and one incident of it. Where in the list it stands follows from its order; pages don't matter. */
export const AdjacentIncidentsQuery = IncidentsAcrossEventsQuery.omit({ page: true, limit: true }).extend({
  incidentId: idInput,
});

const AdjacentIncident = z.object({ id: idOutput, title: z.string(), slug: z.string() });

export const AdjacentIncidents = z.object({
  /** `slug` is the event's. Null at the end of the list. */
  previous: AdjacentIncident.nullable(),
  next: AdjacentIncident.nullable(),
});

const CURSOR_PATTERN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/;

const INVALID_CURSOR = "must be the cursor that the last answer gave";

/** Behind which incident to go on. */
const place = z
  .string(INVALID_CURSOR)
  .refine((given) => {
    const [, at = "", ref = ""] = CURSOR_PATTERN.exec(given) ?? [];
    return UUID_PATTERN.test(ref) && !Number.isNaN(Date.parse(at));
  }, INVALID_CURSOR)
  .transform((given) => {
    const [createdAt = "", ref = ""] = given.split("_");
    return { createdAt, id: ref };
  })
  .meta({ type: "string", description: "The place of the last incident of the part before." });

export const IncidentRefsQuery = FilteredIncidentsQuery.extend({
  limit: strictLimitQuery(MAX_BULK_INCIDENTS),
  after: place.optional(),
});

export const IncidentRefList = z.object({
  /** Newest first. */
  refs: z.array(
    z.object({
      id: idOutput,
      eventId: idOutput,
      slug: z.string(),
      title: z.string(),
      state: z.enum(INCIDENT_STATES),
      updatedAt: timeOutput,
      /** For `after`, to go on behind this one. */
      place: z.string(),
    }),
  ),
  /** Is this the last part? */
  complete: z.boolean(),
});
