/**
 * Returns the path and query of a request's target. A client may send a whole address in its place, which servers must
 * accept (RFC 9112, 3.2.2); its host decides nothing, as that of the Host header.
 */
export const toOriginForm = (target: string): string => {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
};
