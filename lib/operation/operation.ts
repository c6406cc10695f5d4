import type { CallLimit } from "#lib/rate-limits/limits.ts";
import type { z } from "zod";
import type { ApiRequest, ApiRequestWithAbortSignal } from "#lib/operation/request.ts";
import type { SerializedJsonOutput } from "#lib/operation/json-text.ts";
import type { CookieToSet } from "#lib/accounts/sessions.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import type { ErrorCode } from "#lib/operation/errors.ts";
import {
  requiresUnidentifiedSender,
  type Actor,
  type Permission,
  type PermissionSubject,
  type SessionActor,
} from "#lib/operation/policy.ts";
import type { IncidentsByRole } from "#lib/operation/pending-invitation.ts";

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
  /**
   * Set when a page makes the call to load its data, and not the person by an action: it accepts no invitation. Holds the
   * records that the page's calls have found so far, so that each is looked for once.
   */
  byPage?: RecordsFoundByPage;
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

/** Records by the resolver that found them, and by whom and which path it found them for. */
export type RecordsFoundByPage = Map<unknown, Map<string, Promise<PermissionSubject>>>;

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
  readonly on: OperationScopeResolvers<PermissionSubject, PermissionSubject>;
  confirm?(context: OperationContext<PermissionSubject, Actor>, input: Input): Promise<unknown>;
  incidentsByRole?(input: Input, subject: PermissionSubject): IncidentsByRole;
  /** Called only by `performOperation` (lib/http/perform.ts). */
  run(
    context: OperationContext<PermissionSubject, Actor | null>,
    input: Input,
  ): Promise<Result | Response | SerializedJsonOutput>;
};

export type OperationCaller = { actor: Actor | null; call: OperationCall };

/** The input of a call: its path parameters, and its body or query, which is read only after the access checks. */
export type OperationCallInput = { params: PathParams; readInput: () => Promise<unknown> };

/** Declares an operation. `performOperation` (lib/http/perform.ts) is the only caller of its `run`. */
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
    confirm: declaration.confirm,
    on: declaration.on,
    incidentsByRole: declaration.incidentsByRole,
    run: declaration.run,
  } as unknown as Operation<z.output<In>, Shape extends z.ZodType ? z.output<Shape> : never>;
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
