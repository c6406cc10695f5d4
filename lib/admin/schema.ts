import { z } from "zod";
import { Deletion, User } from "#lib/accounts/schema.ts";
import { EXPOSURE_WARNINGS } from "#lib/health/warnings.ts";
import { QUEUES } from "#lib/jobs/queues.ts";
import { booleanText, email, id, idOut, limit, page, search, time } from "#lib/operation/fields.ts";

/** Shapes of system administration (contract 12). */

export const AdminUsersQuery = z.object({
  search,
  systemAdmin: booleanText.optional(),
  disabled: booleanText.optional(),
  sort: z.enum(["createdAt", "name", "email"]).default("createdAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
  page,
  limit: limit(50),
});
export type AdminUsersQuery = z.output<typeof AdminUsersQuery>;

/** An account as SystemAdmins see it. `organizations` and `events` count where it holds a role. */
export const AdminUser = User.extend({
  systemAdmin: z.boolean(),
  disabledAt: time.nullable(),
  createdAt: time,
  /** When the account last did something: a session or token in use, or an entry in an audit log. */
  /** The day (UTC), as its first moment: a time would tell who sent a report without a name (contract 7.3). */
  lastActiveAt: time.nullable(),
  organizations: z.int(),
  events: z.int(),
});
export type AdminUserRecord = z.input<typeof AdminUser>;

/** One account, with what it belongs to and how it signs in. */
export const AdminUserDetails = AdminUser.extend({
  sessions: z.int(),
  tokens: z.int(),
  secondFactor: z.boolean(),
  /** The address is confirmed, or doesn't have to be. */
  emailVerified: z.boolean(),
  memberships: z.object({
    organizations: z.array(
      z.object({
        id: idOut,
        name: z.string(),
        slug: z.string(),
        role: z.enum(["org_admin", "org_viewer"]),
      }),
    ),
    events: z.array(
      z.object({
        id: idOut,
        name: z.string(),
        slug: z.string(),
        roles: z.array(z.enum(["Reporter", "Responder", "Admin"])),
      }),
    ),
  }),
});
export type AdminUserDetailsRecord = z.input<typeof AdminUserDetails>;

const yesOrNo = z.boolean("must be true or false").optional();

export const AdminUserChange = z
  .object({ systemAdmin: yesOrNo, disabled: yesOrNo })
  .refine(
    ({ systemAdmin, disabled }) => systemAdmin !== undefined || disabled !== undefined,
    "needs systemAdmin or disabled, or both",
  );
/** The SystemAdmin's own password, and a code where they have a second factor. */
export const FactorReset = Deletion;
export type FactorReset = z.output<typeof FactorReset>;

export type AdminUserChange = z.output<typeof AdminUserChange>;

export const AdminEventsQuery = z.object({
  search,
  organizationId: id.optional(),
  isActive: booleanText.optional(),
  page,
  limit: limit(50),
});
export type AdminEventsQuery = z.output<typeof AdminEventsQuery>;

export const AdminEvent = z.object({
  id: idOut,
  name: z.string(),
  slug: z.string(),
  isActive: z.boolean(),
  startDate: time.nullable(),
  endDate: time.nullable(),
  createdAt: time,
  organization: z.object({ id: idOut, name: z.string(), slug: z.string() }),
  /** Persons with a role, each once. */
  people: z.int(),
  incidents: z.object({ total: z.int(), open: z.int() }),
  /** Of evidence, originals included. */
  bytes: z.int(),
});
export type AdminEventRecord = z.input<typeof AdminEvent>;

const perMonth = z.object({ month: z.string(), count: z.int() });
export const Stats = z.object({
  users: z.object({
    total: z.int(),
    disabled: z.int(),
    systemAdmins: z.int(),
    /** Signed in at least once within the last 30 days. */
    active: z.int(),
  }),
  organizations: z.int(),
  events: z.object({ total: z.int(), active: z.int() }),
  incidents: z.object({
    total: z.int(),
    submitted: z.int(),
    acknowledged: z.int(),
    investigating: z.int(),
    resolved: z.int(),
    closed: z.int(),
  }),
  files: z.object({ count: z.int(), bytes: z.int() }),
  /** Within the last 30 days. */
  signIns: z.int(),
  /** The last 12 months, the present one last, without gaps (UTC). */
  newPerMonth: z.object({
    users: z.array(perMonth),
    organizations: z.array(perMonth),
    events: z.array(perMonth),
    incidents: z.array(perMonth),
  }),
});
export type StatsRecord = z.input<typeof Stats>;

export const MailTest = z.object({ to: email.optional() });

/** What became of a mail that was sent at once. */
const MAIL_OUTCOMES = [
  "delivered",
  "outbox",
  "unreachable",
  "tls",
  "login",
  "sender",
  "recipient",
  "later",
  "refused",
  "failed",
] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];
export const MailTestResult = z.object({
  delivered: z.boolean(),
  outcome: z.enum(MAIL_OUTCOMES),
  /** What happened, and what to look at. */
  message: z.string(),
  milliseconds: z.int(),
});

/** So many tries in a row have to fail before a queue counts as failing. */
export const FAILING_TRIES = 3;

const check = z.enum(["ok", "failed"]);
const queue = {
  /** Failed while the last tries all failed, or the oldest job has waited for more than ten minutes. */
  status: check,
  waiting: z.int(),
  oldestWaitingAt: time.nullable(),
  /** Seconds that the oldest waiting job has waited, tried or not; deliveries that a receiver refused count when due. */
  lag: z.int(),
  /** Given up after every try. */
  failed: z.int(),
  /** Tries in a row that failed; 0 after one that worked. Refusals of one recipient of mail count once. */
  failedTries: z.int(),
  failingSince: time.nullable(),
};
const Queue = z.object(queue);
export type QueueRecord = z.input<typeof Queue>;

export const Health = z.object({
  status: check,
  version: z.string(),
  node: z.string(),
  startedAt: time,
  /** Seconds. */
  uptime: z.int(),
  database: z.object({
    status: check,
    version: z.string(),
    milliseconds: z.number(),
    bytes: z.int(),
    migrations: z.object({ applied: z.int(), latest: z.string().nullable(), unfinished: z.int() }),
  }),
  storage: z.object({
    status: check,
    kind: z.enum(["disk", "s3"]),
    files: z.int(),
    /** Of evidence, originals included. */
    bytes: z.int(),
  }),
  /** Whether stored evidence is what was uploaded, by downloads and the nightly check (docs/decisions/038). */
  evidence: z.object({
    status: check,
    damaged: z.int(),
    missing: z.int(),
    /** The end of the last check of all files; null when there was none yet. */
    checkedAt: time.nullable(),
    /** Files that the check which is under way has read; null when none is. */
    checking: z.int().nullable(),
    /** The first fifty, the longest known first. */
    problems: z.array(
      z.object({
        fileId: idOut,
        incidentId: idOut,
        part: z.enum(["file", "original"]),
        fault: z.enum(["missing", "damaged"]),
        foundAt: time,
      }),
    ),
  }),
  mail: z.object({
    /** Is there a mail server? Without one mails are files in the outbox folder. */
    configured: z.boolean(),
    ...queue,
    /** Mails of the last 30 days that the mail server refused for good; no failure of the queue, and not in `failed`. */
    undeliverable: z.int(),
  }),
  jobs: z.object({
    status: check,
    /** Processes that work on the queue now. */
    workers: z.int(),
    waiting: z.int(),
    /** Given up after every try. */
    failed: z.int(),
    queues: z.array(z.object({ queue: z.enum(QUEUES), ...queue })),
  }),
  /** When the last whole backup was taken by `npm run backup`; null when none ever was. */
  backup: z.object({ lastAt: time.nullable() }),
  /** The seals and checkpoints of the audit log. */
  audit: z.object({
    /** Failed while entries stay unsealed, checkpoints don't come, or those that should be sent are not taken. */
    status: check,
    lastCheckpointAt: time.nullable(),
    /** Chains with entries that should be sealed by now. */
    unsealedChains: z.int(),
    /** Where checkpoints are sent; null where they stay on this machine. */
    destination: z.enum(["mail", "web"]).nullable(),
    lastSentAt: time.nullable(),
    unsent: z.int(),
    oldestUnsentAt: time.nullable(),
  }),
  /** Of the volume that the data folder is on; null where the system doesn't tell. */
  disk: z.object({ status: check, freeBytes: z.int(), totalBytes: z.int() }).nullable(),
  /** What requests of the last 24 hours show to be set up wrongly. */
  warnings: z.array(z.object({ warning: z.enum(EXPOSURE_WARNINGS), seenAt: time })),
});
export type HealthRecord = z.input<typeof Health>;
