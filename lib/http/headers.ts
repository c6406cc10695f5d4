/** Set by the guard in front on a request whose method nobody knows; it then comes as OPTIONS, to be refused. */
export const UNKNOWN_METHOD_HEADER = "x-heed-wrong-method";
