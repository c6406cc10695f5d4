import { z } from "zod";
import { isAuditActionOrPrefix, AUDIT_OBJECT_TYPES } from "#lib/audit/actions.ts";
import {
  idInput,
  idOutput,
  limitQuery,
  pageQuery,
  Pagination,
  timeOutput,
  timeInput,
} from "#lib/operation/fields.ts";

/** What is counted of a filtered list; beyond it the answer says "at least". */
export const MAX_COUNTED_ENTRIES = 10_000;

const seq = z
  .string("must be a whole number")
  .regex(/^[1-9]\d{0,14}$/, "must be a whole number from 1")
  .transform(Number)
  .meta({ type: "integer", minimum: 1 });

const ACTION_ERROR = "must be an action such as invite.create, or invite.";

/**
 * The filters of an audit log. `action` is one action such as `invite.create`, or with a dot at its end all
 * that begin so: `invite.`. `from` and `to` are both within. `before` goes on below that sequence number, at
 * the same cost however far down; `page` is for the first few.
 */
export const AuditLogQuery = z.object({
  actor: idInput.optional(),
  action: z
    .string()
    .regex(/^[A-Za-z]{1,40}\.([A-Za-z]{1,40})?$/, ACTION_ERROR)
    .refine(isAuditActionOrPrefix, ACTION_ERROR)
    .optional(),
  objectType: z.enum(AUDIT_OBJECT_TYPES).optional(),
  from: timeInput.optional(),
  to: timeInput.optional(),
  before: seq.optional(),
  page: pageQuery,
  limit: limitQuery(50),
  format: z.enum(["json", "csv"]).default("json"),
});
export type AuditLogQuery = z.output<typeof AuditLogQuery>;

/** Which log a SystemAdmin reads: the system's own, or an organization's, also of one that was deleted. */
const chain = z
  .union([z.literal("system"), idInput], "must be system, or the id of an organization")
  .default("system");
export const SystemAuditLogQuery = AuditLogQuery.extend({ chain });
export const SystemAuditVerifyQuery = z.object({ chain });

/**
 * An entry of the log: ids, roles and states. `actor` is null for anonymous reports, for the service itself, and where
 * it would tell somebody of the organization who reports.
 */
export const AuditEntry = z.object({
  seq: z.int(),
  at: timeOutput,
  /** `name` is null once the account is gone. */
  actor: z.object({ id: idOutput, name: z.string().nullable() }).nullable(),
  action: z.string(),
  objectType: z.string(),
  objectId: idOutput.nullable(),
  eventId: idOutput.nullable(),
  right: z.string(),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type AuditEntryRecord = z.input<typeof AuditEntry>;

export const AuditList = z.object({
  entries: z.array(AuditEntry),
  /** `atLeast`: there are more than `total`, which weren't counted. `next`: the `before` of what follows. */
  pagination: Pagination.extend({ atLeast: z.boolean(), next: z.int().nullable() }),
});

/** What a verification found. `head` is the newest hash of the chain; `firstProblem` the number of an entry. */
export const AuditVerification = z.object({
  ok: z.boolean(),
  entries: z.int(),
  head: z.string().nullable(),
  firstProblem: z.int().nullable(),
});
