/** What can be done for a person while their report is taken. Apart from the schema, which is too large for the browser. */
export const FIRST_RESPONSES = [
  "quiet_place",
  "water",
  "escort",
  "friend_called",
  "medical",
  "police_wanted",
  "police_declined",
] as const;

export type FirstResponse = (typeof FIRST_RESPONSES)[number];

/** Answers to the question whether the person wants the police. */
export const POLICE_WISHES = ["police_wanted", "police_declined"] as const satisfies readonly FirstResponse[];
