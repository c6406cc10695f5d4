/** The title of an incident in responses to a reader to whom it isn't open (contract 18.2). */
export const UNOPENED_INCIDENT_TITLE = "Answer the conflict check to open";
