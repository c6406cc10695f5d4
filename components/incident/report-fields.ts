import { INCIDENT_TIME_FIELDS } from "#lib/incident-time.ts";

/** Steps of the report form and the fields of each. Without script, all of them are on one page. */
export const REPORT_STEP_FIELDS = {
  start: ["aboutTeam", "excludedUserIds", "excludedName"],
  what: ["description", "title"],
  details: ["type", "severity", ...INCIDENT_TIME_FIELDS, "zone", "location", "parties", "reportedPersonName"],
  files: ["fileDescriptions", "relatedFiles"],
  you: ["contactMethod", "contactPhone", "anonymous"],
  check: [],
} as const satisfies Record<string, readonly string[]>;
