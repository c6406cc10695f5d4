import { runOncePerIdempotencyKey } from "#lib/idempotency/requests.ts";
import { acceptPendingRolesOnFirstUse } from "#lib/invites/invitations.ts";
import { AppError, createTokenScopeError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import { SerializedJsonOutput } from "#lib/operation/json-text.ts";
import type {
  Operation,
  OperationCall,
  OperationCallInput,
  OperationCaller,
} from "#lib/operation/operation.ts";
import { parseInput } from "#lib/operation/parse-input.ts";
import { listInvitationsNeededByCall } from "#lib/operation/pending-invitation.ts";
import {
  buildActorAsOutsidePerson,
  can,
  createDenialError,
  findActorRightForPermission,
  hasAccessToEventOrOrganization,
  hasWithheldRole,
  isPermissionWithoutSignIn,
  type Actor,
  type Permission,
  type PermissionSubject,
} from "#lib/operation/policy.ts";
import { isPermissionInTokenScope } from "#lib/operation/token-scope.ts";

/**
 * Performs an operation, in the order of contract 3.4: checks sign-in and container, reads and parses the input, finds the
 * record, checks permission, accepts invitations, runs it, once if its request has an idempotency key, and shapes the
 * output. All adapters call this, and nothing else calls an operation's `run`. On an incident that they read as outside
 * person, the actor has the rights of its team (docs/decisions/058).
 * @throws AppError
 */
export async function performOperation<Result>(
  // oxlint-disable-next-line typescript/no-explicit-any -- the adapters take operations of every input
  operation: Operation<any, Result>,
  caller: OperationCaller,
  { params, readInput }: OperationCallInput,
): Promise<Result | Response> {
  const { can: permission, on } = operation;
  const { call } = caller;
  const actor = caller.actor && buildActorAsOutsidePerson(caller.actor, params);
  const open = isPermissionWithoutSignIn(permission);
  if (!actor && !open) throw createUnauthenticatedError();
  if (actor && !isPermissionInTokenScope(actor, permission)) throw createTokenScopeError();
  const lookup = { call, key: JSON.stringify([actor?.id, params]) };
  const container = await findOnce(on.container, lookup, () => on.container(params, actor, call));
  if (actor && !open) assertContainerAccess(actor, permission, { container, decides: !on.inside });
  const body = operation.input || operation.upload ? await readInput() : undefined;
  const input = operation.input ? parseInput(operation.input, body) : undefined;
  const { inside } = on;
  const subject = inside
    ? await findOnce(inside, lookup, () => inside(container, params, actor)).catch((error) =>
        throwMissingOrWithheld(error, actor, container),
      )
    : container;
  const right = findActorRightForPermission(actor, permission, subject);
  if (!right) throw createDenialError(actor, container, permission);
  const incidents = operation.incidentsByRole?.(input, subject);
  if (actor && !call.byPage && !isAnonymousReport(permission, input))
    await acceptInvitations({ actor, call }, { right, container, incidents });
  const run = async () =>
    shapeOutput(operation, await operation.run({ ...subject, actor, right, call }, input));
  if (operation.once !== "response" || !actor || call.idempotencyKey === null) return run();
  const confirm = async () => operation.confirm?.({ ...subject, actor, right, call }, input);
  const request = { operation: operation.name, actor, call, container, params, input, confirm };
  return runOncePerIdempotencyKey(request, run);
}

/** Finds a record; for a page, whose calls name the same ones, only once. */
function findOnce<Subject extends PermissionSubject>(
  resolver: unknown,
  { call: { byPage }, key }: { call: OperationCall; key: string },
  find: () => Promise<Subject>,
): Promise<Subject> {
  if (!byPage) return find();
  const ofResolver = byPage.get(resolver) ?? new Map<string, Promise<PermissionSubject>>();
  byPage.set(resolver, ofResolver);
  const found = ofResolver.get(key) ?? find();
  ofResolver.set(key, found);
  return found as Promise<Subject>;
}

const shapeOutput = <Result>(
  { output }: Pick<Operation, "output">,
  result: Result | Response | SerializedJsonOutput,
): Result | Response =>
  result instanceof Response || result instanceof SerializedJsonOutput || !output
    ? (result as Result | Response)
    : (output.parse(result) as Result);

/**
 * Throws 403 when the actor has no role in the container. When the container itself is the subject, its rule is
 * checked here too. An actor whose roles there are all withheld for lack of two-factor sign-in is always refused.
 */
function assertContainerAccess(
  actor: Actor,
  permission: Permission,
  { container, decides: isSubject }: { container: PermissionSubject; decides: boolean },
): void {
  const isScoped = container.organizationId !== undefined || container.eventId !== undefined;
  const isMember = !isScoped || hasAccessToEventOrOrganization(actor, container);
  const isNotWithheld = isMember || !hasWithheldRole(actor, container);
  if (!isNotWithheld || (isSubject ? !can(actor, permission, container) : !isMember))
    throw createDenialError(actor, container, permission);
}

/**
 * An anonymous report accepts no invitation: its audit entry would reveal who sent the report, and when (contract
 * 7.3).
 */
const isAnonymousReport = (permission: Permission, input: unknown): boolean =>
  (permission === "incident.create" || permission === "incident.createWithoutRole") &&
  (input as { anonymous?: boolean } | undefined)?.anonymous === true;

/** Accepts the invitations to roles that the call needs; most callers have none, which takes no query. */
async function acceptInvitations(
  { actor, call }: { actor: Actor; call: OperationCaller["call"] },
  permitted: Parameters<typeof listInvitationsNeededByCall>[1],
): Promise<void> {
  const invitations = listInvitationsNeededByCall(actor, permitted);
  if (invitations.length === 0) return;
  const by = { actor, requestId: call.requestId };
  await acceptPendingRolesOnFirstUse(by, { invitations, incidentIds: permitted.incidents?.ids });
}

/** Replaces NOT_FOUND when the record is hidden only because a role is withheld: the error then says what to do. */
function throwMissingOrWithheld(error: unknown, actor: Actor | null, container: PermissionSubject): never {
  const isMissing = error instanceof AppError && error.code === "NOT_FOUND";
  throw isMissing && actor && hasWithheldRole(actor, container) ? createDenialError(actor, container) : error;
}
