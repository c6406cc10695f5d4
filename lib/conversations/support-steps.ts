/**
 * Steps that the team can take for a person while it takes their report. In a module of its own, since the schema is
 * too large for the browser.
 */
export const INTAKE_SUPPORT_STEPS = [
  "quiet_place",
  "water",
  "escort",
  "friend_called",
  "medical",
  "police_wanted",
  "police_declined",
] as const;

export type IntakeSupportStep = (typeof INTAKE_SUPPORT_STEPS)[number];

/** Answers to the question whether the person wants the police. */
export const POLICE_WISHES = [
  "police_wanted",
  "police_declined",
] as const satisfies readonly IntakeSupportStep[];
