/** Misconfigurations that requests can reveal; no address is stored with them. */
export const MISCONFIGURATION_WARNINGS = ["localModeReachedFromElsewhere", "unknownProxy"] as const;
export type MisconfigurationWarning = (typeof MISCONFIGURATION_WARNINGS)[number];
