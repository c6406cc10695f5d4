/** Misconfigurations that settings or requests reveal; no address is stored with them. */
export const MISCONFIGURATION_WARNING_CODES = [
  "localModeReachedFromElsewhere",
  "unknownProxy",
  "noMailServer",
] as const;
export type MisconfigurationWarningCode = (typeof MISCONFIGURATION_WARNING_CODES)[number];
