/**
 * Where a device of the team stores reports that were taken without a connection. They are sealed to a key that the
 * device can't open, and their reporters may hold the receipt already: neither signing out nor the quick exit deletes
 * them (docs/decisions/062).
 */
export const SEALED_DRAFT_KEY_PREFIX = "heed-intake:";

/**
 * Set by the page while the device stores sealed drafts: signing out then doesn't ask the browser to remove all that is
 * stored.
 */
export const SEALED_DRAFT_COOKIE = "heed_sealed";
