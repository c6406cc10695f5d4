/**
 * Length of the response in bytes. Next drops Content-Length; the request guard restores it from this header and
 * removes this one.
 */
export const RESPONSE_LENGTH_HEADER = "x-heed-length";
