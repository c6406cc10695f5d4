/** How many bytes an answer has. Next drops Content-Length; the guard in front puts it back from this, and takes this away. */
export const LENGTH_HEADER = "x-heed-length";
