/** Set by the request guard when it rewrites an unknown method to OPTIONS, so that the route refuses it. */
export const UNKNOWN_METHOD_HEADER = "x-heed-wrong-method";
