/**
 * Locks that the processes of one database share (PostgreSQL's advisory locks). Any fixed numbers, each used for one
 * thing alone. 4833009 is taken, too: `fold_report_changes` holds it while it moves changes into the tallies.
 */

/** Every job worker shares it, so that whether one is there can be asked. */
export const WORKER_PRESENCE_LOCK = 4_833_001;

/** Whoever gathers notifications into mails holds it. */
export const NOTIFICATION_MAIL_LOCK = 4_833_002;

/**
 * Who removes stored files shares it; a backup holds it alone from before its snapshot to its end, so that every file
 * which the snapshot's rows name is still there when it is copied.
 */
export const FILE_REMOVAL_LOCK = 4_833_003;

/** Whoever changes the settings of the installation holds it, from looking at their version to the end. */
export const SETTINGS_LOCK = 4_833_004;

/**
 * Each connection that reads or writes for the service shares it (lib/database/restore-lock.ts); a restore holds it alone from
 * before it looks at the database to its end.
 */
export const DATABASE_USE_LOCK = 4_833_005;

/** Whoever checks stored evidence holds it for a slice of the check. */
export const EVIDENCE_CHECK_LOCK = 4_833_006;

/** Whoever seals the audit log holds it, so that one process at a time goes on with each chain of seals. */
export const AUDIT_SEAL_LOCK = 4_833_007;
