import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { csvLabelsQuery } from "#lib/i18n/labels-query.ts";
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
  severitySchema,
  SEVERITIES_AND_NONE,
  INCIDENT_STATES,
  incidentStateSchema,
} from "#lib/incidents/schema.ts";
import {
  SEARCH_PLACES,
  SIDES_EXPECTED_TO_REPLY,
  IncidentsAcrossEventsQuery,
} from "#lib/incidents/list-schema.ts";

/** Shapes of triage: counts, and a person's unread markers. */

/** Personal counts go no further: this value means that many or more, and pages show it as 999+. */
export const PERSONAL_COUNT_CAP = 100;
/** Maximum number of events that get counts of their own. */
export const MAX_EVENTS_WITH_INBOX_COUNTS = 100;
/** Maximum number of incidents that one request may query, change or export. */
export const MAX_BULK_INCIDENTS = 100;

const incidentIds = z
  .string()
  .transform((given) => [...new Set(given.toLowerCase().split(","))])
  .refine((ids) => ids.every((one) => UUID_PATTERN.test(one)), encodeFieldProblem("mustBeIds"))
  .refine(
    (ids) => ids.length <= MAX_BULK_INCIDENTS,
    encodeFieldProblem("mustNameAtMost", { max: MAX_BULK_INCIDENTS }),
  )
  .meta({
    type: "array",
    items: { type: "string", format: "uuid" },
    minItems: 1,
    maxItems: MAX_BULK_INCIDENTS,
    description: `1 to ${MAX_BULK_INCIDENTS} IDs, separated by commas.`,
  });

export const IncidentSummaryQuery = IncidentsAcrossEventsQuery.pick({ event: true });
export type IncidentSummaryQuery = z.output<typeof IncidentSummaryQuery>;

const cappedCount = z
  .int()
  .meta({ description: `${PERSONAL_COUNT_CAP} means ${PERSONAL_COUNT_CAP} or more: counting stops there.` });

const countFields = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodInt>);

/** Counts in the events whose every incident the actor may see. All counts except `byState` are of open incidents. */
export const IncidentCountsSummary = z.object({
  byState: countFields(INCIDENT_STATES),
  open: z.int(),
  openBySeverity: countFields(SEVERITIES_AND_NONE),
  openUnassigned: z.int(),
  openEscalated: z.int(),
  /** Assigned to the current user. */
  openMine: cappedCount,
  /** Past their deadline. */
  openOverdue: cappedCount,
  /** By the side that is expected to reply, the reporter or the team. */
  openAwaiting: z.object({ reporter: cappedCount, team: cappedCount }),
  /** What the team has to do next (contract 7.12). */
  needsUs: cappedCount,
  /** Pinned by the current user, including incidents that they see as reporter. */
  pinned: z.int(),
  /** Ordered by name, at most 100. */
  events: z.array(
    z.object({ id: idOutput, name: z.string(), slug: z.string(), open: z.int(), total: z.int() }),
  ),
});
export type IncidentCountsSummary = z.input<typeof IncidentCountsSummary>;

export const IncidentMarksQuery = z.object({ ids: incidentIds });

/** The team's next due response to the reporter, and its deadline (docs/decisions/020). */
export const ResponseDeadline = z.object({
  for: z.enum(["acknowledge", "update"]),
  since: timeOutput,
  at: timeOutput,
});
export type ResponseDeadline = z.input<typeof ResponseDeadline>;

/** The marks that a row of the inbox shows beside an incident: pinned, unread, messages, deadline. */
export const IncidentMarks = z.object({
  /** The requested incidents that the actor may see, in no order. */
  marks: z.array(
    z.object({
      incidentId: idOutput,
      pinned: z.boolean(),
      /**
       * Somebody else changed it since the actor last opened it, or the actor marked it unread. For the team;
       * otherwise false.
       */
      unread: z.boolean(),
      /** Messages between reporter and team. */
      messages: z.int(),
      /** For the team while a deadline is running; otherwise null. */
      due: ResponseDeadline.nullable(),
      /**
       * The side that is expected to reply. Null once the incident is resolved or closed, and for readers outside the
       * team.
       */
      awaiting: z.enum(SIDES_EXPECTED_TO_REPLY).nullable(),
    }),
  ),
});
export type IncidentMarks = z.input<typeof IncidentMarks>;

/** An incident's row in the inbox. */
export const InboxRow = z.object({
  id: idOutput,
  number: z.int(),
  codeName: z.string(),
  title: z.string(),
  state: incidentStateSchema,
  severity: severitySchema.nullable(),
  /** Somebody is in danger, and nobody has acknowledged the report yet (contract 7.15). */
  urgent: z.boolean(),
  /** Its reporter withdrew the report; the team may go on with it. */
  withdrawn: z.boolean(),
  type: z.string().nullable(),
  eventId: idOutput,
  createdAt: timeTextOutput,
  updatedAt: timeTextOutput,
  event: z.object({ name: z.string(), slug: z.string() }),
  /** `namesake`: the name of somebody else on the event's team whose name is the same; null for those outside the team. */
  reporter: z
    .object({ id: idOutput, name: z.string(), emailVerified: z.boolean(), namesake: z.string().nullable() })
    .nullable(),
  assignee: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** Number of files that the actor may see. */
  files: z.int(),
  /** `pinned`, `unread`, `messages`, `due` and `awaiting` are as in `IncidentMarks`. */
  pinned: z.boolean(),
  unread: z.boolean(),
  messages: z.int(),
  due: z
    .object({ for: z.enum(["acknowledge", "update"]), since: timeTextOutput, at: timeTextOutput })
    .nullable(),
  awaiting: z.enum(SIDES_EXPECTED_TO_REPLY).nullable(),
  /** Where words of the search were found; empty without a search. */
  foundIn: z.array(z.enum(SEARCH_PLACES)),
  /** Ids of the people who must not see the incident; empty for those who aren't on its team. */
  hiddenFrom: z.array(idOutput),
});
export type InboxRow = z.output<typeof InboxRow>;

/** The query of the inbox's rows; `ids` are those of rows that an open page shows already. */
export const InboxAcrossEventsQuery = IncidentsAcrossEventsQuery.extend({ ids: incidentIds.optional() });

export const InboxList = z.object({ rows: z.array(InboxRow), pagination: Pagination });

/** Maximum number of people that one filter of the inbox offers. */
export const MAX_PEOPLE_PER_INBOX_FILTER = 50;

/** People that a filter names already are among the choices. */
export const InboxFilterPeopleQuery = IncidentsAcrossEventsQuery.pick({
  event: true,
  assigned: true,
  reporter: true,
});
export type InboxFilterPeopleQuery = z.output<typeof InboxFilterPeopleQuery>;

const InboxPerson = z.object({ id: idOutput, name: z.string() });

/** The people by whom the inbox can be filtered, in the events whose team the actor is on. */
export const InboxFilterPeople = z.object({
  /** People on the response teams, ordered by name. */
  assignees: z.array(InboxPerson),
  /** People who reported recently, ordered by name. */
  reporters: z.array(InboxPerson.extend({ emailVerified: z.boolean() })),
});
export type InboxFilterPeople = z.input<typeof InboxFilterPeople>;

export const NewUnreadMarkerInput = z.object({ incidentId: idInput, eventId: idInput });

export const SelectedIncidentsQuery = z.object({ ids: incidentIds, labels: csvLabelsQuery });

/** The filters of a list, without its page and order: exports and refs are always newest first. */
export const FilteredIncidentsQuery = IncidentsAcrossEventsQuery.omit({
  page: true,
  limit: true,
  sort: true,
  order: true,
});

export const MatchingIncidentsExportQuery = FilteredIncidentsQuery.extend({ labels: csvLabelsQuery });

/** The filters and the order of a list, and one incident in it. The list has no pages here. */
export const AdjacentIncidentsQuery = IncidentsAcrossEventsQuery.omit({ page: true, limit: true }).extend({
  incidentId: idInput,
});

const AdjacentIncident = z.object({
  id: idOutput,
  title: z.string(),
  /** The event's. */
  slug: z.string(),
});

/** The incidents before and after one in a list; null where the list begins or ends. */
export const AdjacentIncidents = z.object({
  previous: AdjacentIncident.nullable(),
  next: AdjacentIncident.nullable(),
});

const CURSOR_PATTERN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/;

const INVALID_CURSOR = encodeFieldProblem("mustBeCursor");

/** The cursor of the incident to continue after. */
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
  .meta({ type: "string", description: "The position of the last incident in the previous part." });

export const IncidentRefListQuery = FilteredIncidentsQuery.extend({
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
      state: incidentStateSchema,
      updatedAt: timeOutput,
      /** A cursor for `after`, to continue after this incident. */
      place: z.string(),
    }),
  ),
  /** Whether this is the last batch. */
  complete: z.boolean(),
});
