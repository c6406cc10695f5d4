/** What responses say instead of the title of an incident that isn't open to its reader (contract 18.2). */
export const UNOPENED_TITLE = "Answer the conflict check to open";
