/**
 * Set by the page while the device stores sealed drafts: signing out then doesn't ask the browser to remove all that is
 * stored.
 */
export const SEALED_DRAFTS_STORED_COOKIE = "heed_sealed";

/** The longest time for which browsers keep a cookie. */
const COOKIE_SECONDS = 400 * 24 * 3600;

/** Formats the cookie for `Set-Cookie` and `document.cookie`, so that the page can remove it again. */
export const createSealedDraftsCookie = (areStored: boolean): string =>
  `${SEALED_DRAFTS_STORED_COOKIE}=1; Path=/; SameSite=Lax; Max-Age=${areStored ? COOKIE_SECONDS : 0}`;
