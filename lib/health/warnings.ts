/** What requests can show to be set up wrongly; no address is kept with it. */
export const EXPOSURE_WARNINGS = ["localModeReachedFromElsewhere", "unknownProxy"] as const;
export type ExposureWarning = (typeof EXPOSURE_WARNINGS)[number];
