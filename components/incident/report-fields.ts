/** Steps of the report form and the fields of each. Without script, all of them are on one page. */
export const REPORT_STEP_FIELDS = {
  start: [],
  what: ["description", "title"],
  details: ["type", "severity", "incidentAt", "location", "parties", "reportedPersonName"],
  files: ["fileDescriptions", "relatedFiles"],
  you: ["contactMethod", "contactPhone", "anonymous", "excludedUserIds"],
  check: [],
} as const satisfies Record<string, readonly string[]>;
