/** Set by the request guard when it rewrites an unknown method to OPTIONS, so that the route refuses it. */
export const UNKNOWN_METHOD_HEADER = "x-heed-wrong-method";
/**
 * Set by the request guard, after it dropped the cookies, on an API call with a token from another origin that
 * CORS_ORIGINS names (contract 3.20).
 */
export const CROSS_ORIGIN_TOKEN_CALL_HEADER = "x-heed-cross-origin";
