import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { csvLabelsQuery } from "#lib/i18n/labels-query.ts";
import { isAuditActionOrPrefix, AUDIT_OBJECT_TYPES } from "#lib/audit/actions.ts";
import {
  dayOrTimeInput,
  idInput,
  idOutput,
  limitQuery,
  pageNumberQuery,
  Pagination,
  timeOutput,
} from "#lib/operation/fields.ts";

/** Filtered lists are counted up to this number; beyond it the response sets `atLeast`. */
export const MAX_COUNTED_AUDIT_ENTRIES = 10_000;

const seq = z
  .string(encodeFieldProblem("mustBeWholeNumber"))
  .regex(/^[1-9]\d{0,14}$/, encodeFieldProblem("mustBeWholeNumberFrom", { min: 1 }))
  .transform(Number)
  .meta({ type: "integer", minimum: 1 });

const ACTION_ERROR = encodeFieldProblem("mustBeAuditAction");

/**
 * Filters of an audit log. `action` is one action such as `invite.create`, or a prefix with a dot at its end:
 * `invite.`. `from` and `to` are inclusive, also as days. `before` continues below that sequence number, at the same cost however
 * far down; `page` is for the first few pages.
 */
export const AuditLogQuery = z.object({
  actor: idInput.optional(),
  action: z
    .string()
    .regex(/^[A-Za-z]{1,40}\.([A-Za-z]{1,40})?$/, ACTION_ERROR)
    .refine(isAuditActionOrPrefix, ACTION_ERROR)
    .optional(),
  objectType: z.enum(AUDIT_OBJECT_TYPES).optional(),
  from: dayOrTimeInput.optional(),
  to: dayOrTimeInput.optional(),
  before: seq.optional(),
  page: pageNumberQuery,
  limit: limitQuery(50),
  format: z.enum(["json", "csv"]).default("json"),
  labels: csvLabelsQuery,
});
export type AuditLogQuery = z.output<typeof AuditLogQuery>;

/** The log that a SystemAdmin reads: the system's own, or an organization's, even a deleted one's. */
const chain = z
  .union([z.literal("system"), idInput], encodeFieldProblem("mustBeAuditScope"))
  .default("system");
export const SystemAuditLogQuery = AuditLogQuery.extend({ chain });
export const SystemAuditVerifyQuery = z.object({ chain });

/**
 * An entry of the log: ids, roles and statuses. `actor` is null for anonymous reports, for the service itself, and
 * where it would reveal to someone of the organization who reported.
 */
export const AuditEntry = z.object({
  seq: z.int(),
  at: timeOutput,
  /**
   * `name` is null once the account is gone. `token`: a service token, its name after "Token: ". `unconfirmed`: nobody
   * has confirmed the address of the account, which anybody may have created under this name.
   */
  actor: z
    .object({
      id: idOutput,
      name: z.string().nullable(),
      token: z.literal(true).optional(),
      unconfirmed: z.literal(true).optional(),
    })
    .nullable(),
  action: z.string(),
  objectType: z.string(),
  objectId: idOutput.nullable(),
  eventId: idOutput.nullable(),
  /** The incident that the entry is about, while it exists. */
  incidentId: idOutput.nullable(),
  /** By what right: `event:Admin`, `self` and the like. `reporter` where the actual one could tell who reported. */
  right: z.string(),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type AuditEntryRecord = z.input<typeof AuditEntry>;

export const AuditList = z.object({
  entries: z.array(AuditEntry),
  /** `atLeast`: there are more than `total` entries, which were not counted. `next`: the `before` of the next page. */
  pagination: Pagination.extend({ atLeast: z.boolean(), next: z.int().nullable() }),
});

/** Result of a verification. `head` is the keyed hash (MAC) of the newest entry; `firstProblem` is the number of an entry. */
export const AuditVerification = z.object({
  ok: z.boolean(),
  entries: z.int(),
  head: z.string().nullable(),
  firstProblem: z.int().nullable(),
});
