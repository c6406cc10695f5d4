import { runOnce } from "#lib/idempotency/requests.ts";
import { acceptInvitationOnUse } from "#lib/invitations/invitations.ts";
import type { Operation, CallInput, OperationCaller, PerformHooks } from "#lib/operation/operation.ts";

const HOOKS: PerformHooks = { acceptInvitation: acceptInvitationOnUse, runOnce };

/** Performs an operation. All adapters call this, and nothing else calls an operation's `perform`. */
export const performOperation = <Result>(
  // oxlint-disable-next-line typescript/no-explicit-any -- the adapters take operations of every input
  operation: Operation<any, Result>,
  who: OperationCaller,
  input: CallInput,
): Promise<Result | Response> => operation.perform(who, input, HOOKS);
