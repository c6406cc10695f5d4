/** Values and limits that the browser needs, too; without the shapes of schema.ts, which would bring all of zod. */

export const SEVERITIES = ["low", "medium", "high", "critical"] as const;

export const MAX_STATUS_NOTES_LENGTH = 10_000;
/** Characters of the message that tells the reporter the outcome; the same limit as for other messages. */
export const MAX_OUTCOME_MESSAGE_LENGTH = 10_000;

export const MAX_INCIDENT_TYPE_LENGTH = 60;
export const MAX_LOCATION_LENGTH = 500;
/** Characters of what the team writes an incident is about. */
export const MAX_INCIDENT_SUMMARY_LENGTH = 500;
