import type { CallLimit } from "#lib/rate-limits/limits.ts";
import type { z } from "zod";
import type { ApiRequest, ApiRequestWithAbortSignal } from "#lib/operation/request.ts";
import { SerializedJsonOutput } from "#lib/operation/json-text.ts";
import type { CookieToSet } from "#lib/accounts/sessions.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { isPermissionInTokenScope } from "#lib/operation/token-scope.ts";
import {
  AppError,
  createTokenScopeError,
  createUnauthenticatedError,
  type ErrorCode,
} from "#lib/operation/errors.ts";
import {
  hasAccessToEventOrOrganization,
  can,
  isPermissionWithoutSignIn,
  requiresUnidentifiedSender,
  hasWithheldRole,
  createDenialError,
  findActorRightForPermission,
  type Actor,
  type Permission,
  type SessionActor,
  type PermissionSubject,
} from "#lib/operation/policy.ts";
import { parseInput } from "#lib/operation/parse-input.ts";
import {
  listInvitationsNeededByCall,
  type IncidentsByRole,
  type PendingInvitation,
} from "#lib/operation/pending-invitation.ts";

/**
 * An operation is something the service does for somebody. It is declared once and reached through the HTTP
 * (`endpoint.ts`), form (`form.ts`, `upload-form.ts`) and page (`page.ts`) adapters, which all go through `perform`.
 */

export type PathParams = Readonly<Record<string, string>>;

/** The facts about the request behind a call that an operation may use. */
export type OperationCall = {
  requestId: string;
  /** The client's address: for rate limits and delays only, never stored with a report. */
  address: string;
  userAgent: string | null;
  /** The value of the cookie that identifies a device an account has used before (device-cookie.ts). */
  device: string | null;
  /** The value of the cookie of an opened mailbox (lib/incidents/mailbox-session.ts). */
  mailbox: string | null;
  /** Whether the client accepts a media type, from `Accept`. */
  accepts: (type: string) => boolean;
  /** The HTTP request, for operations that stream; null for pages and forms. */
  request: ApiRequest | null;
  /** Set for a call with a token from another origin: its cookies are dropped, and none can be set (contract 3.20). */
  fromOtherOrigin?: true;
  /** Set when a page makes the call to load its data, and not the person by an action: it accepts no invitation. */
  byPage?: true;
  ifMatch: string | null;
  /** Identifies repeated submissions of the same request; for a form, its ticket (lib/http/form-drafts.ts). */
  idempotencyKey: string | null;
  /** Files of a multipart body, in a temporary folder that the adapter removes afterwards. */
  files: UploadedFile[];
  /** Sets or removes the session cookie on the response. */
  setCookie: (cookie: CookieToSet) => void;
  /** Set by a list that has cursors (contract 3.17): that of the next page, or null on the last one. */
  nextCursor?: string | null;
  /** Headers of the response in addition to the standard ones; only HTTP sends them. */
  responseHeaders: Record<string, string>;
};

/**
 * The records that a path names. `container` finds the organization or event (404 when absent); `inside` finds the
 * record within it, after the body has been read (contract 3.4).
 */
export type OperationScopeResolvers<C extends PermissionSubject, S extends PermissionSubject> = {
  container: (params: PathParams, actor: Actor | null, call?: OperationCall) => Promise<C>;
  inside?: (container: C, params: PathParams, actor: Actor | null) => Promise<S>;
};

export type OperationContext<S, A> = S & {
  actor: A;
  /** The right under which the actor acts, for the audit log. */
  right: string;
  call: OperationCall;
};

type RequestBodyKind = "json" | "multipart" | "none";

type OperationOutput<Shape> =
  | (Shape extends z.ZodType ? z.input<Shape> : never)
  | Response
  | SerializedJsonOutput;

type OperationDeclaration<
  C extends PermissionSubject,
  S extends PermissionSubject,
  P extends Permission,
  In extends z.ZodType,
  Shape extends z.ZodType | null,
> = {
  /** The operationId in the OpenAPI document. */
  name: string;
  summary: string;
  /**
   * Ignores members and query parameters that it doesn't know, and lists them in the response, as the operations that the
   * API began with do. Every other operation refuses such a request (contract 3.9).
   */
  ignoresUnknownNames?: true;
  on: OperationScopeResolvers<C, S>;
  can: P;
  /** The JSON or multipart body of unsafe methods, or the query of GET. */
  input?: In;
  body?: RequestBodyKind;
  /** Files that a multipart body may carry. */
  upload?: UploadRule;
  /** 200 unless the operation creates something (201) or returns no body (204). */
  status?: 200 | 201 | 204;
  /**
   * The path at which GET reads what was created with 201, from the output and the request's own path; by default that
   * path itself, which lists it (contract 3.21).
   */
  location?: (output: Shape extends z.ZodType ? z.output<Shape> : never, path: string) => string;
  /** Shape of the response; other fields are stripped. Null when `run` returns a Response. */
  output: Shape;
  /** Media types of responses that aren't JSON. */
  produces?: string[];
  /**
   * Accepts an `Idempotency-Key`: a request that is sent again under its key takes effect once (contract 3.15). With
   * `verb`, the verb recognizes it; with `response`, the first response is stored (docs/decisions/024).
   */
  once?: "verb" | "response";
  /**
   * A check that is repeated before a stored response is returned, in addition to the permission: of the password, or
   * of a record that only `run` looks up. May throw AppError.
   */
  confirm?: (context: OperationContext<S, ActorFor<P>>, input: z.output<In>) => Promise<unknown>;
  /** The version of the record that the response shows, as `If-Match` names it: the response then has an `ETag`. */
  version?: (output: Shape extends z.ZodType ? z.output<Shape> : never) => string;
  /** Reads `If-Match`, and refuses to overwrite a change that the client hasn't seen (contract 3.11). */
  ifMatch?: true;
  /**
   * Codes of errors that the verb throws itself, for the OpenAPI document. Those that follow from the rest of the
   * declaration need not be named (lib/http/openapi-errors.ts).
   */
  errors?: readonly ErrorCode[];
  /** The rate limit that the call counts toward (contract 3.13). */
  limit?: CallLimit;
  /**
   * The operation checks no roles except those in the event that its path names, so over HTTP only those are loaded.
   * The actor then has fewer roles than otherwise, never more.
   */
  rolesIn?: "event";
  /**
   * The events, or incidents, whose event roles the call uses or asks for although its permission needs none, so that
   * it accepts invitations to these events (contract 2.7).
   */
  incidentsByRole?: (input: z.output<In>, subject: S) => IncidentsByRole;
  run: (context: OperationContext<S, ActorFor<P>>, input: z.output<In>) => Promise<OperationOutput<Shape>>;
};

/** Files of a multipart body; sizes in bytes (contract 9.1). */
export type UploadRule = {
  fields: string[];
  maxFiles: number;
  maxBytesEach: number;
  maxBytesTotal: number;
  /** A JSON body without files is accepted too. */
  orJson?: true;
};

type ActorFor<P extends Permission> =
  P extends PermissionWith<{ unidentified: true }>
    ? null
    : P extends PermissionWith<{ public: true }>
      ? Actor | null
      : P extends PermissionWith<{ sessionOnly: true }>
        ? SessionActor
        : Actor;
type Policy = typeof import("#lib/operation/policy.ts").POLICY;
type PermissionWith<Rule> = { [K in keyof Policy]: Policy[K] extends Rule ? K : never }[keyof Policy];

/** An operation without its specific types, as the adapters use it. */
export type Operation<Input = unknown, Result = unknown> = {
  readonly name: string;
  readonly summary: string;
  readonly ignoresUnknownNames: boolean;
  readonly can: Permission;
  readonly input: z.ZodType<Input> | undefined;
  readonly body: RequestBodyKind;
  readonly upload: UploadRule | undefined;
  readonly status: 200 | 201 | 204;
  readonly location: ((output: never, path: string) => string) | undefined;
  readonly output: z.ZodType | null;
  readonly produces: string[];
  readonly once: "verb" | "response" | undefined;
  readonly version: ((output: never) => string) | undefined;
  readonly ifMatch: boolean;
  readonly errors: readonly ErrorCode[];
  readonly limit: CallLimit;
  readonly rolesIn: "event" | undefined;
  /** Whether it reads or changes incidents through event roles although its permission needs none. */
  readonly usesEventRoles: boolean;
  /** Called only by `performOperation` (lib/http/perform.ts). */
  readonly perform: (
    caller: OperationCaller,
    input: OperationCallInput,
    hooks: OperationDependencies,
  ) => Promise<Result | Response>;
};

export type OperationCaller = { actor: Actor | null; call: OperationCall };

/** The input of a call: its path parameters, and its body or query, which is read only after the access checks. */
export type OperationCallInput = { params: PathParams; readInput: () => Promise<unknown> };

/** Functions that `perform` needs from folders that declare operations themselves, and so can't be imported here. */
export type OperationDependencies = {
  /**
   * Accepts pending invitations when the actor first makes a call of their own that needs their roles
   * (docs/decisions/033); with `incidentIds`, only those to the events of these incidents that the actor may see.
   * @throws AppError FORBIDDEN when a role has been removed
   */
  acceptInvitations: (
    by: { actor: Actor; requestId: string },
    needed: { invitations: PendingInvitation[]; incidentIds: readonly string[] | undefined },
  ) => Promise<void>;
  /**
   * Runs an operation whose request has an idempotency key, or returns the stored response to an earlier one.
   * @throws AppError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_RESPONSE_LOST
   */
  runOncePerIdempotencyKey: <Result>(
    request: IdempotentRequest,
    run: () => Promise<Result>,
  ) => Promise<Result>;
};

/** The parts of a request that identify it among others with an idempotency key; `run` is only called for the first. */
export type IdempotentRequest = {
  operation: string;
  actor: Actor;
  call: OperationCall;
  container: PermissionSubject;
  params: PathParams;
  input: unknown;
  /** Runs the operation's `confirm` check; called before a stored response is returned. */
  confirm: () => Promise<unknown>;
};

/** Declares an operation. Its `perform` is the only caller of `run`. */
export function defineOperation<
  C extends PermissionSubject,
  S extends PermissionSubject,
  P extends Permission,
  Shape extends z.ZodType | null,
  In extends z.ZodType = z.ZodUndefined,
>(
  declaration: OperationDeclaration<C, S, P, In, Shape>,
): Operation<z.output<In>, Shape extends z.ZodType ? z.output<Shape> : never> {
  return {
    name: declaration.name,
    summary: declaration.summary,
    ignoresUnknownNames: declaration.ignoresUnknownNames ?? false,
    can: declaration.can,
    input: declaration.input as z.ZodType<z.output<In>> | undefined,
    body: declaration.body ?? (declaration.input ? "json" : "none"),
    upload: declaration.upload,
    status: declaration.status ?? 200,
    location: declaration.location,
    output: declaration.output,
    produces: declaration.produces ?? [],
    once: declaration.once,
    version: declaration.version,
    ifMatch: declaration.ifMatch ?? false,
    errors: declaration.errors ?? [],
    limit: declaration.limit ?? (requiresUnidentifiedSender(declaration.can) ? "visitor" : "general"),
    rolesIn: declaration.rolesIn,
    usesEventRoles: declaration.incidentsByRole !== undefined,
    perform: (caller, input, hooks) => perform(declaration, { ...caller, ...input }, hooks) as never,
  };
}

/**
 * Checks sign-in and container, reads and parses the input, finds the record, checks permission, runs the operation
 * and shapes the output, in the order of contract 3.4.
 */
async function perform<
  C extends PermissionSubject,
  S extends PermissionSubject,
  P extends Permission,
  In extends z.ZodType,
  Shape extends z.ZodType | null,
>(
  declaration: OperationDeclaration<C, S, P, In, Shape>,
  { actor, call, params, readInput }: OperationCaller & OperationCallInput,
  hooks: OperationDependencies,
): Promise<unknown> {
  const open = isPermissionWithoutSignIn(declaration.can);
  if (!actor && !open) throw createUnauthenticatedError();
  if (actor && !isPermissionInTokenScope(actor, declaration.can)) throw createTokenScopeError();
  const container = await declaration.on.container(params, actor, call);
  const inside = declaration.on.inside;
  if (actor && !open) assertContainerAccess(actor, declaration.can, { container, decides: !inside });
  const body = declaration.input || declaration.upload ? await readInput() : undefined;
  const input = declaration.input ? parseInput(declaration.input, body) : undefined;
  const subject = inside
    ? await inside(container, params, actor).catch((error) => throwMissingOrWithheld(error, actor, container))
    : (container as unknown as S);
  const right = findActorRightForPermission(actor, declaration.can, subject);
  if (!right) throw createDenialError(actor, container, declaration.can);
  const canAcceptInvitation = !call.byPage && !isAnonymousReport(declaration.can, input);
  const incidents = declaration.incidentsByRole?.(input as z.output<In>, subject);
  if (actor && canAcceptInvitation)
    await acceptInvitations(hooks, { actor, call }, { right, container, incidents });
  const context = { ...subject, actor: actor as ActorFor<P>, right, call };
  const run = async () => shapeOutput(declaration, await declaration.run(context, input as z.output<In>));
  if (declaration.once !== "response" || !actor || call.idempotencyKey === null) return run();
  const confirm = async () => declaration.confirm?.(context, input as z.output<In>);
  return hooks.runOncePerIdempotencyKey(
    { operation: declaration.name, actor, call, container, params, input, confirm },
    run,
  );
}

const shapeOutput = ({ output }: { output: z.ZodType | null }, result: unknown): unknown =>
  result instanceof Response || result instanceof SerializedJsonOutput || !output
    ? result
    : output.parse(result);

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
  hooks: OperationDependencies,
  { actor, call }: { actor: Actor; call: OperationCall },
  permitted: Parameters<typeof listInvitationsNeededByCall>[1],
): Promise<void> {
  const invitations = listInvitationsNeededByCall(actor, permitted);
  if (invitations.length === 0) return;
  const by = { actor, requestId: call.requestId };
  await hooks.acceptInvitations(by, { invitations, incidentIds: permitted.incidents?.ids });
}

/** Replaces NOT_FOUND when the record is hidden only because a role is withheld: the error then says what to do. */
function throwMissingOrWithheld(error: unknown, actor: Actor | null, container: PermissionSubject): never {
  const isMissing = error instanceof AppError && error.code === "NOT_FOUND";
  throw isMissing && actor && hasWithheldRole(actor, container) ? createDenialError(actor, container) : error;
}

/** A scope that names a container and no record within it. */
export const createContainerScope = <C extends PermissionSubject>(
  container: OperationScopeResolvers<C, C>["container"],
): OperationScopeResolvers<C, C> => ({
  container,
});

/** The scope of operations that belong to no organization or event. */
export const globalScope = createContainerScope(async () => ({}) as PermissionSubject);

/** Returns the request behind a call to an operation that only the HTTP adapter can serve. */
export function requireRequestWithAbortSignal({ request }: OperationCall): ApiRequestWithAbortSignal {
  const signal = request?.signal;
  if (!signal) throw new Error("this operation streams its answer, and only Next can do that");
  return request as ApiRequestWithAbortSignal;
}
