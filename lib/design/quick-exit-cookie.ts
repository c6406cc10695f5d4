/**
 * Set by the quick exit, in the browser before any request, or by its link without script: from then on pages render as
 * if signed out, even if "Back" is faster than the end of the session. Whatever signs in or opens a mailbox
 * removes it.
 */
export const QUICK_EXIT_COOKIE = "heed_left";
