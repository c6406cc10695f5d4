import type { z } from "zod";
import type { ApiRequest, StreamingApiRequest } from "#lib/operation/request.ts";
import { JsonText } from "#lib/operation/json-text.ts";
import type { SessionCookie } from "#lib/accounts/sessions.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { AppError, tokenScopeExceeded, InvalidInputError, unauthenticated } from "#lib/operation/errors.ts";
import {
  hasAccessTo,
  can,
  hasPendingInvitation,
  isPublicPermission,
  isWithheld,
  createDenialError,
  findRight,
  isWithinTokenScope,
  type Actor,
  type Permission,
  type SessionActor,
  type Subject,
} from "#lib/operation/policy.ts";

/**
 * An operation is everything the service does for somebody, declared once and reached through three
 * adapters: HTTP (`endpoint.ts`), forms (`form.ts`) and pages (`page.ts`). All go through `perform`.
 */

export type PathParams = Readonly<Record<string, string>>;

/** The request behind a call, as far as an operation may know it. */
export type OperationCall = {
  requestId: string;
  /** Address of the client: for limits and delays only, never stored with a report. */
  address: string;
  userAgent: string | null;
  /** The cookie by which an account may know this device again (device-cookie.ts), as it came. */
  device: string | null;
  /** Wanted representation, from `Accept`. */
  accepts: (type: string) => boolean;
  /** The HTTP request itself, for what streams; pages and forms have none. */
  request: ApiRequest | null;
  /** Made to display a page, not by the person: it accepts no invitation. */
  byPage?: true;
  ifMatch: string | null;
  /** By which the same sending is known again; of a form, its ticket. */
  idempotencyKey: string | null;
  /** Files of a multipart body, in a temporary folder that the door removes afterwards. */
  files: UploadedFile[];
  /** Sets or removes the session cookie with the response. */
  setCookie: (cookie: SessionCookie) => void;
  /** Of the answer, beside those that it has by its kind; only HTTP sends them. */
  answerHeaders: Record<string, string>;
};

/**
 * The records that a path names. `container` finds the organization or event (404 when absent); `inside`
 * finds the record within it, after the body has been read (contract 3.4).
 */
export type Scope<C extends Subject, S extends Subject> = {
  container: (params: PathParams, actor: Actor | null) => Promise<C>;
  inside?: (container: C, params: PathParams, actor: Actor | null) => Promise<S>;
};

export type OperationContext<S, A> = S & {
  actor: A;
  /** By what right the actor does it, for the audit log. */
  right: string;
  call: OperationCall;
};

export type BodyKind = "json" | "multipart" | "none";

type OperationOutput<Shape> = (Shape extends z.ZodType ? z.input<Shape> : never) | Response | JsonText;

export type OperationDeclaration<
  C extends Subject,
  S extends Subject,
  P extends Permission,
  In extends z.ZodType,
  Shape extends z.ZodType | null,
> = {
  /** operationId of the OpenAPI document. */
  name: string;
  summary: string;
  on: Scope<C, S>;
  can: P;
  /** What is read: the JSON or multipart body of unsafe methods, the query of GET. */
  input?: In;
  body?: BodyKind;
  /** Files that a multipart body may carry. */
  upload?: UploadRule;
  /** 200 unless the operation creates (201) or answers without a body (204). */
  status?: 200 | 201 | 204;
  /** Shape of the answer; what isn't in it is stripped. Null when `run` answers with a Response. */
  output: Shape;
  /** Media types of answers that are no JSON. */
  produces?: string[];
  /** It takes an `Idempotency-Key`: sent again under the same one, it is done once (docs/decisions/024). */
  once?: true;
  /** Which counter the call is taken from (contract 3.13). */
  limit?: LimitCategory;
  /**
   * It asks for no roles but those in the event that its path names, and over HTTP no others are looked up: the actor
   * has fewer roles then, never more.
   */
  rolesIn?: "event";
  run: (context: OperationContext<S, ActorFor<P>>, input: z.output<In>) => Promise<OperationOutput<Shape>>;
};

/** Files of a multipart body; sizes in bytes (contract 9.1). */
export type UploadRule = {
  fields: string[];
  maxFiles: number;
  maxBytesEach: number;
  maxBytesTotal: number;
  /** JSON is taken too, without files. */
  orJson?: true;
};

export type LimitCategory =
  "general" | "login" | "signIn" | "register" | "forgot" | "lookup" | "upload" | "search" | "report";

type ActorFor<P extends Permission> =
  P extends PermissionWith<{ public: true }>
    ? Actor | null
    : P extends PermissionWith<{ sessionOnly: true }>
      ? SessionActor
      : Actor;
type Policy = typeof import("#lib/operation/policy.ts").POLICY;
type PermissionWith<Rule> = { [K in keyof Policy]: Policy[K] extends Rule ? K : never }[keyof Policy];

/** An operation with its types worn smooth, as the doors take it. */
export type Operation<Input = unknown, Result = unknown> = {
  readonly name: string;
  readonly summary: string;
  readonly can: Permission;
  readonly input: z.ZodType<Input> | undefined;
  readonly body: BodyKind;
  readonly upload: UploadRule | undefined;
  readonly status: 200 | 201 | 204;
  readonly output: z.ZodType | null;
  readonly produces: string[];
  readonly once: boolean;
  readonly limit: LimitCategory;
  readonly rolesIn: "event" | undefined;
  /** Called by `performOperation` (lib/http/perform.ts) alone. */
  readonly perform: (
    caller: OperationCaller,
    input: CallInput,
    hooks: PerformHooks,
  ) => Promise<Result | Response>;
};

export type OperationCaller = { actor: Actor | null; call: OperationCall };

/** What a call brings along: the parameters of its path, and its body or query, which is read late. */
export type CallInput = { params: PathParams; readInput: () => Promise<unknown> };

/** What `perform` needs of folders that declare operations themselves. */
export type PerformHooks = {
  /**
   * Accepts the invitation that the actor's first own call in a place uses (docs/decisions/033).
   * @throws AppError FORBIDDEN where the role is gone
   */
  acceptInvitation: (
    by: { actor: Actor; requestId: string },
    place: { organizationId: string; eventId: string | null },
  ) => Promise<void>;
};

/** Declares an operation. `perform` inside it is the only caller of `run`. */
export function defineOperation<
  C extends Subject,
  S extends Subject,
  P extends Permission,
  Shape extends z.ZodType | null,
  In extends z.ZodType = z.ZodUndefined,
>(
  declaration: OperationDeclaration<C, S, P, In, Shape>,
): Operation<z.output<In>, Shape extends z.ZodType ? z.output<Shape> : never> {
  return {
    name: declaration.name,
    summary: declaration.summary,
    can: declaration.can,
    input: declaration.input as z.ZodType<z.output<In>> | undefined,
    body: declaration.body ?? (declaration.input ? "json" : "none"),
    upload: declaration.upload,
    status: declaration.status ?? 200,
    output: declaration.output,
    produces: declaration.produces ?? [],
    once: declaration.once ?? false,
    limit: declaration.limit ?? "general",
    rolesIn: declaration.rolesIn,
    perform: (caller, input, hooks) => perform(declaration, { ...caller, ...input, hooks }) as never,
  };
}

/** Sign in, container, body, schema, record, rule, deed, shape: in the order of contract 3.4. */
async function perform<
  C extends Subject,
  S extends Subject,
  P extends Permission,
  In extends z.ZodType,
  Shape extends z.ZodType | null,
>(
  declaration: OperationDeclaration<C, S, P, In, Shape>,
  { actor, call, params, readInput, hooks }: OperationCaller & CallInput & { hooks: PerformHooks },
): Promise<unknown> {
  const open = isPublicPermission(declaration.can);
  if (!actor && !open) throw unauthenticated();
  if (actor && !isWithinTokenScope(actor, declaration.can)) throw tokenScopeExceeded();
  const container = await declaration.on.container(params, actor);
  const inside = declaration.on.inside;
  if (actor && !open) assertContainerAccess(actor, declaration.can, { container, decides: !inside });
  const body = declaration.input || declaration.upload ? await readInput() : undefined;
  const input = declaration.input ? parseInput(declaration.input, body) : undefined;
  const subject = inside
    ? await inside(container, params, actor).catch((error) => throwMissingOrWithheld(error, actor, container))
    : (container as unknown as S);
  const right = findRight(actor, declaration.can, subject);
  if (!right) throw createDenialError(actor, container, declaration.can);
  const canAcceptInvitation = !call.byPage && !isAnonymousReport(declaration.can, input);
  if (actor && canAcceptInvitation && hasPendingInvitation(actor, right, container))
    await hooks.acceptInvitation({ actor, requestId: call.requestId }, toInvitationContainer(container));
  const context = { ...subject, actor: actor as ActorFor<P>, right, call };
  const result = await declaration.run(context, input as z.output<In>);
  if (result instanceof Response || result instanceof JsonText) return result;
  return declaration.output ? declaration.output.parse(result) : result;
}

/**
 * Without a role in the container: 403. Where the container itself is the subject, its rule decides now. Whose
 * roles there all wait for a second factor gets no further, whatever it is about.
 */
function assertContainerAccess(
  actor: Actor,
  permission: Permission,
  { container, decides: isSubject }: { container: Subject; decides: boolean },
): void {
  const isScoped = container.organizationId !== undefined || container.eventId !== undefined;
  const isMember = !isScoped || hasAccessTo(actor, container);
  const isNotWithheld = isMember || !isWithheld(actor, container);
  if (!isNotWithheld || (isSubject ? !can(actor, permission, container) : !isMember))
    throw createDenialError(actor, container, permission);
}

/** Its sender accepts nothing by it: the audit entry of that would say who sent it, and when (contract 7.3). */
const isAnonymousReport = (permission: Permission, input: unknown): boolean =>
  permission === "incident.create" && (input as { anonymous?: boolean } | undefined)?.anonymous === true;

/** Where an invitation is accepted: a container that gives the actor a right always names its organization. */
function toInvitationContainer({ organizationId, eventId }: Subject): {
  organizationId: string;
  eventId: string | null;
} {
  if (organizationId === undefined) throw new Error("a container without its organization");
  return { organizationId, eventId: eventId ?? null };
}

/** What is only missing because a role is withheld is not absent: the actor hears what to do about it. */
function throwMissingOrWithheld(error: unknown, actor: Actor | null, container: Subject): never {
  const isMissing = error instanceof AppError && error.code === "NOT_FOUND";
  throw isMissing && actor && isWithheld(actor, container) ? createDenialError(actor, container) : error;
}

/** @throws InvalidInputError that names each field and what is wrong with it. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parseResult = schema.safeParse(value);
  if (parseResult.success) return parseResult.data;
  const fields: Record<string, string> = {};
  for (const issue of parseResult.error.issues) {
    const field = issue.path.map(String).join(".");
    fields[field] ??= describeIssue(issue, value);
  }
  throw new InvalidInputError(fields);
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === "invalid_type" && issue.path.length > 0 && valueAt(input, issue.path) === undefined)
    return "is missing";
  if (issue.code === "invalid_type" && issue.path.length === 0) return "must be a JSON object";
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  // The library's own sentences could quote what was sent; ours never do.
  return issue.message.startsWith("Invalid") ? "is not usable" : issue.message;
}

const valueAt = (input: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined | null)?.[key],
    input,
  );

/** A scope that names a container and no record within it. */
export const containerScope = <C extends Subject>(container: Scope<C, C>["container"]): Scope<C, C> => ({
  container,
});

/** The scope of what belongs to no organization and no event. */
export const globalScope = containerScope(async () => ({}) as Subject);

/** The request behind a call that only the HTTP door can serve. */
export function requireStreamingRequest({ request }: OperationCall): StreamingApiRequest {
  const signal = request?.signal;
  if (!signal) throw new Error("this operation streams its answer, and only Next can do that");
  return request as StreamingApiRequest;
}
