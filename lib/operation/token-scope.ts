import { POLICY, type Actor, type Permission, type PolicyRule } from "#lib/operation/policy.ts";

/** The scopes of tokens: the part of their owner's permissions that a program has (docs/architecture.md). */

/** `export` reads exports and nothing else. */
export const TOKEN_SCOPES = ["read", "write", "export"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The token behind a request. A person's token is limited to an event or to an organization, or to neither. */
export type ActorToken = {
  scope: TokenScope;
  /** The only event that the token reaches; null if it isn't limited to one. */
  eventId: string | null;
  /** The only organization, with its events, that the token reaches. Every service token has one. */
  organizationId: string | null;
  /** A SystemAdmin without a role in the event `eventId` created the token, which has their access to that event. */
  system?: true;
  /** The token belongs to the organization `organizationId`, and the actor is the token itself: no person. */
  service?: true;
};

/** `write` isn't among them: every change has a person who made it. */
export const SERVICE_TOKEN_SCOPES = ["read", "export"] as const;

/** Precedes a service token's name wherever people's names are shown. */
export const SERVICE_TOKEN_DISPLAY_NAME_PREFIX = "Token: ";

/** Returns whether the actor may write: everybody but a token that only reads or exports. */
export const isWriteInTokenScope = ({ token }: Pick<Actor, "token">): boolean =>
  !token || token.scope === "write";

/** Returns whether the permission is open to tokens at all. */
export const isPermissionOpenToTokens = (permission: Permission): boolean =>
  !("sessionOnly" in POLICY[permission]);

/**
 * Returns whether a service token reaches only the organization's own export: organization roles give no access to
 * incidents.
 */
const isExportOfOrganization = ({ scope, eventId }: ActorToken): boolean =>
  scope === "export" && eventId === null;

/** Returns whether the actor's token covers this permission, or the actor has no token. */
export function isPermissionInTokenScope({ token }: Pick<Actor, "token">, permission: Permission): boolean {
  const rule: PolicyRule = POLICY[permission];
  if (!token || rule.public) return true;
  if (token.scope === "export" && !rule.exports) return false;
  if (token.service) return rule.service === true && !(isExportOfOrganization(token) && rule.signedIn);
  const isWhole = token.eventId === null && token.organizationId === null;
  return isPermissionOpenToTokens(permission) && (isWhole || !rule.signedIn || rule.byRole === true);
}
