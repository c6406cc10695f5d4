/**
 * PostgreSQL advisory locks that the processes of one database share. The numbers are arbitrary; each is used for one
 * purpose only.
 */

/** Every job worker holds it in shared mode, which shows whether a worker is running. */
export const WORKER_PRESENCE_LOCK = 4_833_001;

/** Held while notifications are collected into mails. */
export const NOTIFICATION_MAIL_LOCK = 4_833_002;

/**
 * Held in shared mode while stored files are removed. A backup holds it exclusively from before its snapshot to its
 * end, so that every file which the snapshot's rows name still exists when it is copied.
 */
export const FILE_REMOVAL_LOCK = 4_833_003;

/** Held while settings of the installation are changed, from reading their version to the end. */
export const SETTINGS_LOCK = 4_833_004;

/**
 * Each of the service's connections holds it in shared mode (lib/database/restore-lock.ts). A restore holds it
 * exclusively from before it inspects the database to its end.
 */
export const DATABASE_USE_LOCK = 4_833_005;

/**
 * Held for one event, with the hash of its id as second key, from before rows of evidence are inserted to the commit, so
 * that two uploads can't both be the last that fits into the quota.
 */
export const EVIDENCE_QUOTA_LOCK = 4_833_008;

/** Held during each slice of the check of stored evidence. */
export const EVIDENCE_CHECK_LOCK = 4_833_006;
