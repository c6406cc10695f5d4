import { z } from "zod";
import { id, idOut, Pagination, strictLimit, time, timeText, UUID } from "#lib/operation/fields.ts";
import {
  AWAITING,
  ListAcrossEvents,
  SEVERITIES,
  SEVERITIES_AND_NONE,
  STATES,
} from "#lib/incidents/schema.ts";

/** What a response team works with beside the records: how many there are of what, and what is new to a person. */

/** Counts of one's own go up to this, and mean "or more" there. */
export const MOST_COUNTED = 1000;
/** So many events are counted one by one. */
export const MOST_EVENTS = 100;
/** So many incidents at once may be asked about, moved or exported. */
export const MOST_AT_ONCE = 100;

const several = (max: number) =>
  z
    .string()
    .transform((given) => [...new Set(given.toLowerCase().split(","))])
    .refine(
      (ids) => ids.length <= max && ids.every((one) => UUID.test(one)),
      `must be 1 to ${max} ids with commas between`,
    )
    .meta({ type: "string", description: `1 to ${max} ids with commas between.` });

export const SummaryQuery = ListAcrossEvents.pick({ event: true });
export type SummaryQuery = z.output<typeof SummaryQuery>;

const counts = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodInt>);

/** Of the events in which one sees every incident. What is not in `byState` counts the open ones only. */
export const Summary = z.object({
  byState: counts(STATES),
  open: z.int(),
  openBySeverity: counts(SEVERITIES_AND_NONE),
  openUnassigned: z.int(),
  openEscalated: z.int(),
  /** Assigned to oneself; 1000 means "or more". */
  openMine: z.int(),
  /** Whose time is over; 1000 means "or more". */
  openOverdue: z.int(),
  /** Whose reporter, or whose team, has an answer to give; 1000 means "or more". */
  openAwaiting: counts(AWAITING),
  /** Pinned by oneself, also those that one sees as their reporter. */
  pinned: z.int(),
  /** By name, at most 100. */
  events: z.array(z.object({ id: idOut, name: z.string(), slug: z.string(), open: z.int(), total: z.int() })),
});
export type Summary = z.input<typeof Summary>;

export const MarksQuery = z.object({ ids: several(MOST_AT_ONCE) });

/** What the team owes, and until when (docs/decisions/020). */
export const Due = z.object({
  for: z.enum(["acknowledge", "word"]),
  since: time,
  at: time,
});
export type Due = z.input<typeof Due>;

export const Marks = z.object({
  /** Those that one may see, in no order. */
  marks: z.array(
    z.object({
      incidentId: idOut,
      pinned: z.boolean(),
      /** Somebody else changed it since one last opened it, or one marked it so. For the team; else false. */
      unread: z.boolean(),
      /** Messages between reporter and team. */
      messages: z.int(),
      /** For the team, and while a clock runs; else null. */
      due: Due.nullable(),
      /** While it is open: whose answer the other side waits for. For the team; else null. */
      awaiting: z.enum(AWAITING).nullable(),
    }),
  ),
});
export type Marks = z.input<typeof Marks>;

/** What the list of a desk says of an incident. */
export const DeskRow = z.object({
  id: idOut,
  title: z.string(),
  state: z.enum(STATES),
  severity: z.enum(SEVERITIES).nullable(),
  type: z.string().nullable(),
  eventId: idOut,
  createdAt: timeText,
  updatedAt: timeText,
  event: z.object({ name: z.string(), slug: z.string() }),
  reporter: z.object({ name: z.string() }).nullable(),
  assignee: z.object({ id: idOut, name: z.string() }).nullable(),
  /** How many one may see. */
  files: z.int(),
  /** The rest as in `Marks`. */
  pinned: z.boolean(),
  unread: z.boolean(),
  messages: z.int(),
  due: z.object({ for: z.enum(["acknowledge", "word"]), since: timeText, at: timeText }).nullable(),
  awaiting: z.enum(AWAITING).nullable(),
});
export type DeskRow = z.output<typeof DeskRow>;

export const DeskList = z.object({ rows: z.array(DeskRow), pagination: Pagination });

export const UnreadMarking = z.object({ incidentId: id, eventId: id });

export const ChosenQuery = z.object({ ids: several(MOST_AT_ONCE) });

/** The filters of a list; what leaves comes newest first. */
export const MatchingQuery = ListAcrossEvents.omit({ page: true, limit: true, sort: true, order: true });

/** A list, and one incident of it. Where in the list it stands follows from its order; pages don't matter. */
export const NeighboursQuery = ListAcrossEvents.omit({ page: true, limit: true }).extend({ incidentId: id });

const Neighbour = z.object({ id: idOut, title: z.string(), slug: z.string() });

export const Neighbours = z.object({
  /** `slug` is the event's. Null at the end of the list. */
  previous: Neighbour.nullable(),
  next: Neighbour.nullable(),
});

const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/;

const NO_PLACE = "must be the cursor that the last answer gave";

/** Behind which incident to go on. */
const place = z
  .string(NO_PLACE)
  .refine((given) => {
    const [, at = "", ref = ""] = PLACE.exec(given) ?? [];
    return UUID.test(ref) && !Number.isNaN(Date.parse(at));
  }, NO_PLACE)
  .transform((given) => {
    const [createdAt = "", ref = ""] = given.split("_");
    return { createdAt, id: ref };
  })
  .meta({ type: "string", description: "The place of the last incident of the part before." });

export const RefsQuery = MatchingQuery.extend({
  limit: strictLimit(MOST_AT_ONCE),
  after: place.optional(),
});

export const Refs = z.object({
  /** Newest first. */
  refs: z.array(
    z.object({
      id: idOut,
      eventId: idOut,
      slug: z.string(),
      title: z.string(),
      state: z.enum(STATES),
      updatedAt: time,
      /** For `after`, to go on behind this one. */
      place: z.string(),
    }),
  ),
  /** Is this the last part? */
  complete: z.boolean(),
});
