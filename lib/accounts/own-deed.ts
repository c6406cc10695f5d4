import type { Context } from "#lib/operation/operation.ts";
import type { Action } from "#lib/audit/actions.ts";
import type { Deed } from "#lib/audit/audit.ts";
import type { Actor, Subject } from "#lib/operation/policy.ts";

/** What the audit log is told of something that somebody did with their own account. */
export const ownDeed = (
  { actor, right, call }: Context<Subject, Actor>,
  action: Action,
  data: Deed["data"] = {},
): Deed => ({
  action,
  actorId: actor.id,
  right,
  object: { type: "user", id: actor.id },
  data,
  requestId: call.requestId,
});
