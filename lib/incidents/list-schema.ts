import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  booleanQuery,
  dayOrTimeInput,
  limitQuery,
  pageNumberQuery,
  searchQuery,
  strictLimitQuery,
  UUID_PATTERN,
} from "#lib/operation/fields.ts";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import { SEVERITIES_AND_NONE } from "./schema.ts";

/** The lists of incidents: what they can be filtered and ordered by. */

/** The time until the next response is due: overdue, within a day, or later (docs/decisions/020). */
export const DUE_FILTERS = ["overdue", "soon", "later"] as const;
/** The side that is expected to reply, since the other side wrote the last message. */
export const SIDES_EXPECTED_TO_REPLY = ["reporter", "team"] as const;
/** Where a word of a search was found: in the report, in its reporter's name, or in what was written since. */
export const SEARCH_PLACES = ["report", "reporter", "people", "summary", "note", "message"] as const;
export type SearchPlace = (typeof SEARCH_PLACES)[number];
const ASSIGNEE_GROUPS = ["me", "unassigned", "others"] as const;
/** One of the groups, or a person's id. */
export type AssigneeFilter = (typeof ASSIGNEE_GROUPS)[number] | (string & {});
/** Maximum number of people that one filter may name. */
const MAX_FILTER_PEOPLE = 50;
export type DueFilter = (typeof DUE_FILTERS)[number];
export type SideExpectedToReply = (typeof SIDES_EXPECTED_TO_REPLY)[number];

/** A comma-separated filter; a record matches with any of the values (docs/decisions/016). */
export const commaSeparatedQuery = <Value extends string>(values: readonly Value[]) =>
  z
    .string()
    .transform((given) => [...new Set(given.split(","))] as Value[])
    .refine(
      (given) => given.every((value) => values.includes(value)),
      encodeFieldProblem("mustBeOneOf", { values: values.join(", ") }),
    )
    .meta({
      type: "array",
      items: { type: "string", enum: [...values] },
      minItems: 1,
      description: "One value, or several separated by commas.",
    });

/** A comma-separated filter by ids of people, or by groups of them. */
const peopleFilter = <Group extends string>(groups: readonly Group[]) =>
  z
    .string()
    .transform((given) => [...new Set(given.split(",").map((one) => one.toLowerCase()))])
    .refine(
      (given) => given.every((one) => UUID_PATTERN.test(one) || groups.some((group) => group === one)),
      groups.length > 0
        ? encodeFieldProblem("mustBeGroupOrIds", { values: groups.join(", ") })
        : encodeFieldProblem("mustBeIds"),
    )
    .refine(
      (given) => given.length <= MAX_FILTER_PEOPLE,
      encodeFieldProblem("mustNameAtMost", { max: MAX_FILTER_PEOPLE }),
    )
    .meta({
      type: "array",
      items: { type: "string" },
      minItems: 1,
      maxItems: MAX_FILTER_PEOPLE,
      description: `${["A person's ID", ...groups].join(", ")}, or several separated by commas.`,
    });

const INCIDENT_SORTS = ["title", "createdAt", "status", "due", "severity", "urgency"] as const;

const filterFields = {
  page: pageNumberQuery,
  search: searchQuery,
  status: commaSeparatedQuery(INCIDENT_STATES).optional(),
  severity: commaSeparatedQuery(SEVERITIES_AND_NONE).optional(),
  priority: commaSeparatedQuery(SEVERITIES_AND_NONE).optional(),
  assigned: peopleFilter(ASSIGNEE_GROUPS).optional(),
  reporter: peopleFilter([]).optional(),
  /** Both compare the time of the report. Days are counted whole; as times, `from` is inclusive and `to` exclusive. */
  from: dayOrTimeInput.optional(),
  to: dayOrTimeInput.optional(),
  files: booleanQuery.optional(),
  anonymous: booleanQuery.optional(),
  escalated: booleanQuery.optional(),
  pinned: booleanQuery.optional(),
  due: commaSeparatedQuery(DUE_FILTERS).optional(),
  awaiting: commaSeparatedQuery(SIDES_EXPECTED_TO_REPLY).optional(),
  /** What the team has to do next (contract 7.12). */
  needsUs: booleanQuery.optional(),
  /** `urgency` (docs/decisions/042): urgent, then open by severity, then finished; within each due soonest, then newest. */
  sort: z.enum(INCIDENT_SORTS).default("createdAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
};

/** The query parameter of lists that are paged by cursor, in addition to their filters (contract 3.17). */
export const cursorField = {
  cursor: z
    .string()
    .max(2000, encodeFieldProblem("unknownCursor"))
    .meta({ description: "Where the page begins, from the header Link of the page before. Not with `page`." })
    .optional(),
};

/** The default limit by id is 10 (contract 3.10). */
export const IncidentsByEventIdQuery = z.object({ ...filterFields, limit: limitQuery(10) });
/** The default limit by slug is 100 (contract 3.10). */
export const IncidentsByEventSlugQuery = z.object({ ...filterFields, limit: limitQuery(100) });
/** Across events, the default limit is 20 and only 1 to 100 is accepted (contract 7.13). */
export const IncidentsAcrossEventsQuery = z.object({
  ...filterFields,
  limit: strictLimitQuery(20),
  event: z
    .string()
    .min(1, encodeFieldProblem("mustBeEvent"))
    .max(2000, encodeFieldProblem("mustBeEvent"))
    .transform((given) => [...new Set(given.split(","))])
    .meta({
      type: "array",
      items: { type: "string" },
      minItems: 1,
      description: "An event's ID or slug, or several separated by commas.",
    })
    .optional(),
});

/** Takes every filter, and whether the person reported or is assigned (contract 7.12). */
export const UserIncidentsQuery = z.object({
  ...filterFields,
  limit: limitQuery(20),
  type: z.enum(["submitted", "assigned", "all"]).default("all"),
});

export type IncidentListQuery = z.output<typeof IncidentsByEventIdQuery>;
export type ParsedIncidentsAcrossEventsQuery = z.output<typeof IncidentsAcrossEventsQuery>;
