/** Misconfigurations that requests can reveal; no address is stored with them. */
export const EXPOSURE_WARNINGS = ["localModeReachedFromElsewhere", "unknownProxy"] as const;
export type ExposureWarning = (typeof EXPOSURE_WARNINGS)[number];
