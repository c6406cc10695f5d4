import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { AccountDeletionInput, User } from "#lib/accounts/schema.ts";
import { MISCONFIGURATION_WARNING_CODES } from "#lib/admin/warnings.ts";
import { JOB_QUEUES } from "#lib/jobs/queues.ts";
import {
  booleanQuery,
  emailInput,
  idInput,
  idOutput,
  limitQuery,
  pageNumberQuery,
  searchQuery,
  timeOutput,
} from "#lib/operation/fields.ts";

/** Shapes of system administration (contract 12). */

export const AdminUsersQuery = z.object({
  search: searchQuery,
  systemAdmin: booleanQuery.optional(),
  disabled: booleanQuery.optional(),
  sort: z.enum(["createdAt", "name", "email"]).default("createdAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
  page: pageNumberQuery,
  limit: limitQuery(50),
});
export type AdminUsersQuery = z.output<typeof AdminUsersQuery>;

/** An account as SystemAdmins see it. `organizations` and `events` count those where it has a role. */
export const AdminUser = User.extend({
  systemAdmin: z.boolean(),
  disabledAt: timeOutput.nullable(),
  createdAt: timeOutput,
  /**
   * Day (UTC) of the account's last activity: use of a session or token, or an audit entry. Only the day, as its
   * midnight: a time would reveal who sent an anonymous report (contract 7.3).
   */
  lastActiveAt: timeOutput.nullable(),
  organizations: z.int(),
  events: z.int(),
});
export type AdminUserRecord = z.input<typeof AdminUser>;

/** One account, with its memberships and how it signs in. */
export const AdminUserDetails = AdminUser.extend({
  sessions: z.int(),
  tokens: z.int(),
  secondFactor: z.boolean(),
  /** Whether the address is verified, or doesn't have to be. */
  emailVerified: z.boolean(),
  memberships: z.object({
    organizations: z.array(
      z.object({
        id: idOutput,
        name: z.string(),
        slug: z.string(),
        role: z.enum(["org_admin", "org_viewer"]),
      }),
    ),
    events: z.array(
      z.object({
        id: idOutput,
        name: z.string(),
        slug: z.string(),
        roles: z.array(z.enum(["Reporter", "Responder", "Admin"])),
      }),
    ),
  }),
});
export type AdminUserDetailsRecord = z.input<typeof AdminUserDetails>;

const optionalBoolean = z.boolean(encodeFieldProblem("mustBeBoolean")).optional();

export const AdminUserChangeInput = z
  .object({ systemAdmin: optionalBoolean, disabled: optionalBoolean })
  .refine(
    ({ systemAdmin, disabled }) => systemAdmin !== undefined || disabled !== undefined,
    encodeFieldProblem("needsUserChange"),
  );
/** The SystemAdmin's own password, and a code where they have a second factor. */
export const SecondFactorResetInput = AccountDeletionInput;
export type SecondFactorResetInput = z.output<typeof SecondFactorResetInput>;

export type AdminUserChangeInput = z.output<typeof AdminUserChangeInput>;

export const AdminEventsQuery = z.object({
  search: searchQuery,
  organizationId: idInput.optional(),
  isActive: booleanQuery.optional(),
  page: pageNumberQuery,
  limit: limitQuery(50),
});
export type AdminEventsQuery = z.output<typeof AdminEventsQuery>;

export const AdminEvent = z.object({
  id: idOutput,
  name: z.string(),
  slug: z.string(),
  isActive: z.boolean(),
  startDate: timeOutput.nullable(),
  endDate: timeOutput.nullable(),
  createdAt: timeOutput,
  organization: z.object({ id: idOutput, name: z.string(), slug: z.string() }),
  /** Number of people with a role, each counted once. */
  people: z.int(),
  incidents: z.object({ total: z.int(), open: z.int() }),
  /** Bytes of evidence, originals included. */
  bytes: z.int(),
});
export type AdminEventRecord = z.input<typeof AdminEvent>;

const monthlyCount = z.object({ month: z.string(), count: z.int() });
export const SystemStatistics = z.object({
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
  /** The last 12 months (UTC), the current one last, without gaps. */
  newPerMonth: z.object({
    users: z.array(monthlyCount),
    organizations: z.array(monthlyCount),
    events: z.array(monthlyCount),
    incidents: z.array(monthlyCount),
  }),
});
export type SystemStatsRecord = z.input<typeof SystemStatistics>;

export const MailTestInput = z.object({ to: emailInput.optional() });

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
export type MailTestOutcome = (typeof MAIL_OUTCOMES)[number];
export const MailTestResult = z.object({
  delivered: z.boolean(),
  outcome: z.enum(MAIL_OUTCOMES),
  /** A text that says what happened, and what to check. */
  message: z.string(),
  milliseconds: z.int(),
});

/** Consecutive failed tries after which a queue counts as failing. */
export const FAILED_TRIES_OF_FAILING_QUEUE = 3;

const healthStatus = z.enum(["ok", "failed"]);
const queue = {
  /** "failed" while the last tries all failed, or the oldest job has waited for more than ten minutes. */
  status: healthStatus,
  waiting: z.int(),
  oldestWaitingAt: timeOutput.nullable(),
  /**
   * Seconds that the oldest waiting job has waited, tried or not; deliveries that a receiver refused count from when
   * they are due.
   */
  lag: z.int(),
  /** Jobs given up after all their tries. */
  failed: z.int(),
  /** Consecutive failed tries; 0 after a success. Refusals by one mail recipient count once. */
  failedTries: z.int(),
  failingSince: timeOutput.nullable(),
};
const Queue = z.object(queue);
export type QueueHealthRecord = z.input<typeof Queue>;

export const SystemHealth = z.object({
  status: healthStatus,
  version: z.string(),
  node: z.string(),
  startedAt: timeOutput,
  /** Seconds. */
  uptime: z.int(),
  database: z.object({
    status: healthStatus,
    version: z.string(),
    milliseconds: z.number(),
    bytes: z.int(),
    migrations: z.object({ applied: z.int(), latest: z.string().nullable(), unfinished: z.int() }),
  }),
  storage: z.object({
    /** "failed" while files can't be written, or the last sweep refused to remove files. */
    status: healthStatus,
    kind: z.enum(["disk", "s3"]),
    files: z.int(),
    /** Bytes of evidence, originals included. */
    bytes: z.int(),
    /**
     * When the nightly sweep left files without a row, since the database may not be the one they belong to; null when
     * the last one didn't refuse.
     */
    sweepRefusedAt: timeOutput.nullable(),
  }),
  /**
   * Whether stored evidence matches what was uploaded, as found by downloads and the nightly check
   * (docs/decisions/014).
   */
  evidence: z.object({
    status: healthStatus,
    damaged: z.int(),
    missing: z.int(),
    /** Files that the storage doesn't let the service read, although it responds. */
    unreadable: z.int(),
    /** End of the last complete check; null when there was none yet. */
    checkedAt: timeOutput.nullable(),
    /** Whether no check has completed for three days; `status` is then "failed". */
    checkLate: z.boolean(),
    /** Files that the running check has read; null when none is running. */
    checking: z.int().nullable(),
    /** The first fifty, longest known first. */
    problems: z.array(
      z.object({
        fileId: idOutput,
        incidentId: idOutput,
        part: z.enum(["file", "original"]),
        fault: z.enum(["missing", "damaged", "unreadable"]),
        foundAt: timeOutput,
      }),
    ),
  }),
  mail: z.object({
    /** Whether a mail server is configured. Without one, mails are files in the outbox folder. */
    configured: z.boolean(),
    ...queue,
    /**
     * Mails of the last 30 days that the mail server refused permanently; not a failure of the queue, and
     * not in `failed`.
     */
    undeliverable: z.int(),
  }),
  jobs: z.object({
    status: healthStatus,
    /** Processes that run jobs now. */
    workers: z.int(),
    /** When the schedule last queued a job, which it does every minute; null before its first start. */
    lastScheduledAt: timeOutput.nullable(),
    /** Whether that is more than 15 minutes ago, or in the future; `status` is then "failed". */
    scheduleStopped: z.boolean(),
    waiting: z.int(),
    /** Jobs given up after all their tries. */
    failed: z.int(),
    queues: z.array(z.object({ queue: z.enum(JOB_QUEUES), ...queue })),
  }),
  /** Time of the last complete backup by `npm run backup`; null when there was none. */
  backup: z.object({ lastAt: timeOutput.nullable() }),
  /** The audit log, compared with the heads of its chains that the data folder has. */
  audit: z.object({
    /** "failed" while chains lack entries, or heads are recorded or mailed late. */
    status: healthStatus,
    lastRecordedAt: timeOutput.nullable(),
    /** Chains that no longer have the entry that was their head. */
    changedChains: z.int(),
    /** Where heads are sent; null when they stay on this machine. */
    destination: z.enum(["mail"]).nullable(),
    lastSentAt: timeOutput.nullable(),
  }),
  /** The volume of the data folder; null where the system doesn't report it. */
  disk: z.object({ status: healthStatus, freeBytes: z.int(), totalBytes: z.int() }).nullable(),
  /** Misconfigurations that requests of the last 24 hours revealed. */
  warnings: z.array(z.object({ warning: z.enum(MISCONFIGURATION_WARNING_CODES), seenAt: timeOutput })),
});
export type SystemHealthRecord = z.input<typeof SystemHealth>;
