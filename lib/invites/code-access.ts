import type { InviteRecord, ListedInviteRecord } from "#lib/invites/schema.ts";
import { createTokenScopeError } from "#lib/operation/errors.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { isWriteInTokenScope } from "#lib/operation/token-scope.ts";

/**
 * Who reads codes of invites. Whoever has a code can take its role, `org_admin` and Admin included, so a token that
 * only reads gets none: with one, it would be worth as much as a token that writes.
 */

/** Refuses a token that only reads. @throws AppError TOKEN_SCOPE */
export function assertMayReadInviteCodes(actor: Actor): void {
  if (!isWriteInTokenScope(actor)) throw createTokenScopeError();
}

/** Leaves codes and links out of invites for a token that only reads. */
export const hideInviteCodesFromReadToken = (actor: Actor, invites: InviteRecord[]): ListedInviteRecord[] =>
  isWriteInTokenScope(actor) ? invites : invites.map((invite) => ({ ...invite, code: null, url: null }));
