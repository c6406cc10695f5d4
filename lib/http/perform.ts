import { runOncePerIdempotencyKey } from "#lib/idempotency/requests.ts";
import { acceptPendingRolesOnFirstUse } from "#lib/invites/invitations.ts";
import { buildActorAsOutsidePerson } from "#lib/operation/policy.ts";
import type {
  Operation,
  OperationCallInput,
  OperationCaller,
  OperationDependencies,
} from "#lib/operation/operation.ts";

const HOOKS: OperationDependencies = {
  acceptInvitations: acceptPendingRolesOnFirstUse,
  runOncePerIdempotencyKey,
};

/**
 * Performs an operation. All adapters call this, and nothing else calls an operation's `perform`. On an incident that
 * they read as outside person, the actor has the rights of its team (docs/decisions/058).
 */
export const performOperation = <Result>(
  // oxlint-disable-next-line typescript/no-explicit-any -- the adapters take operations of every input
  operation: Operation<any, Result>,
  { actor, call }: OperationCaller,
  input: OperationCallInput,
): Promise<Result | Response> =>
  operation.perform({ actor: actor && buildActorAsOutsidePerson(actor, input.params), call }, input, HOOKS);
