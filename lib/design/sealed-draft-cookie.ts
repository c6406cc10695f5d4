/**
 * Set by the page while the device stores sealed drafts: signing out then doesn't ask the browser to remove all that is
 * stored.
 */
export const SEALED_DRAFTS_STORED_COOKIE = "heed_sealed";
