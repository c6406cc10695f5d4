/** The screens of the report form, and which fields stand on each. Without script all of them are one page. */
export const REPORT_STEP_FIELDS = {
  start: [],
  what: ["description", "title"],
  details: ["type", "severity", "incidentAt", "location", "parties"],
  files: ["fileDescriptions", "relatedFiles"],
  you: ["contactMethod", "anonymous"],
  check: [],
} as const satisfies Record<string, readonly string[]>;
