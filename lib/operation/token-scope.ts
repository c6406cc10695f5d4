import { POLICY, type Actor, type Permission, type PolicyRule } from "#lib/operation/policy.ts";

/** What programs reach with a token: part of what its person may do (docs/decisions/015). */

/** `export` reads exports and nothing else. */
export const TOKEN_SCOPES = ["read", "write", "export"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/**
 * The token behind a request. At most one of `eventId` and `organizationId` is set: the only event, or the only
 * organization and its events, that it reaches. `system` means that a SystemAdmin without a role in that event created
 * it: the token has their access to that event.
 */
export type ActorToken = {
  scope: TokenScope;
  eventId: string | null;
  organizationId: string | null;
  system?: true;
};

/** True when the permission is open to tokens at all. */
export const isTokenAllowed = (permission: Permission): boolean => !("sessionOnly" in POLICY[permission]);

/** True when tokens for exports may use this permission. */
export const isExportPermission = (permission: Permission): boolean => "exports" in POLICY[permission];

/** True when the actor's token covers this permission, or the actor has no token. */
export function isWithinTokenScope({ token }: Pick<Actor, "token">, permission: Permission): boolean {
  const rule: PolicyRule = POLICY[permission];
  if (!token || rule.public) return true;
  if (token.scope === "export" && !rule.exports) return false;
  const isWhole = token.eventId === null && token.organizationId === null;
  return isTokenAllowed(permission) && (isWhole || !rule.signedIn || rule.byRole === true);
}
