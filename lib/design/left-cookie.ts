/**
 * Set by the quick exit in the browser itself, before anything is sent: from then on pages are shown as to somebody who
 * isn't signed in, even where "Back" is faster than the end of the session. Signing in removes it.
 */
export const QUICK_EXIT_COOKIE = "heed_left";
