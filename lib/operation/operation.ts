import type { z } from "zod";
import type { Asking, Following } from "#lib/operation/request.ts";
import { JsonText } from "#lib/operation/json-text.ts";
import type { SessionCookie } from "#lib/accounts/sessions.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { AppError, beyondToken, InvalidInput, unauthenticated } from "#lib/operation/errors.ts";
import {
  belongsTo,
  can,
  isByInvitation,
  isPublic,
  isWithheld,
  refusal,
  rightFor,
  tokenReaches,
  type Actor,
  type Permission,
  type SessionActor,
  type Subject,
} from "#lib/operation/policy.ts";

/**
 * An operation is everything the service does for somebody, declared once and reached through three
 * adapters: HTTP (`endpoint.ts`), forms (`form.ts`) and pages (`page.ts`). All go through `perform`.
 */

export type Params = Readonly<Record<string, string>>;

/** The request behind a call, as far as an operation may know it. */
export type Call = {
  requestId: string;
  /** Address of the client: for limits and delays only, never stored with a report. */
  address: string;
  userAgent: string | null;
  /** The cookie by which an account may know this device again (device-cookie.ts), as it came. */
  device: string | null;
  /** Wanted representation, from `Accept`. */
  accepts: (type: string) => boolean;
  /** The HTTP request itself, for what streams; pages and forms have none. */
  request: Asking | null;
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
  container: (params: Params, actor: Actor | null) => Promise<C>;
  inside?: (container: C, params: Params, actor: Actor | null) => Promise<S>;
};

export type Context<S, A> = S & {
  actor: A;
  /** By what right the actor does it, for the audit log. */
  right: string;
  call: Call;
};

export type Body = "json" | "multipart" | "none";

type Answer<Shape> = (Shape extends z.ZodType ? z.input<Shape> : never) | Response | JsonText;

export type Declaration<
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
  body?: Body;
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
  run: (context: Context<S, WhoFor<P>>, input: z.output<In>) => Promise<Answer<Shape>>;
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

type WhoFor<P extends Permission> =
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
  readonly body: Body;
  readonly upload: UploadRule | undefined;
  readonly status: 200 | 201 | 204;
  readonly output: z.ZodType | null;
  readonly produces: string[];
  readonly once: boolean;
  readonly limit: LimitCategory;
  readonly rolesIn: "event" | undefined;
  /** Called by `performOperation` (lib/http/perform.ts) alone. */
  readonly perform: (who: Who, input: CallInput, hooks: PerformHooks) => Promise<Result | Response>;
};

export type Who = { actor: Actor | null; call: Call };

/** What a call brings along: the parameters of its path, and its body or query, which is read late. */
export type CallInput = { params: Params; readInput: () => Promise<unknown> };

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
export function operation<
  C extends Subject,
  S extends Subject,
  P extends Permission,
  Shape extends z.ZodType | null,
  In extends z.ZodType = z.ZodUndefined,
>(
  declared: Declaration<C, S, P, In, Shape>,
): Operation<z.output<In>, Shape extends z.ZodType ? z.output<Shape> : never> {
  return {
    name: declared.name,
    summary: declared.summary,
    can: declared.can,
    input: declared.input as z.ZodType<z.output<In>> | undefined,
    body: declared.body ?? (declared.input ? "json" : "none"),
    upload: declared.upload,
    status: declared.status ?? 200,
    output: declared.output,
    produces: declared.produces ?? [],
    once: declared.once ?? false,
    limit: declared.limit ?? "general",
    rolesIn: declared.rolesIn,
    perform: (who, input, hooks) => perform(declared, { ...who, ...input, hooks }) as never,
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
  declared: Declaration<C, S, P, In, Shape>,
  { actor, call, params, readInput, hooks }: Who & CallInput & { hooks: PerformHooks },
): Promise<unknown> {
  const open = isPublic(declared.can);
  if (!actor && !open) throw unauthenticated();
  if (actor && !tokenReaches(actor, declared.can)) throw beyondToken();
  const container = await declared.on.container(params, actor);
  const inside = declared.on.inside;
  if (actor && !open) admit(actor, declared.can, { container, decides: !inside });
  const body = declared.input || declared.upload ? await readInput() : undefined;
  const input = declared.input ? parse(declared.input, body) : undefined;
  const subject = inside
    ? await inside(container, params, actor).catch((error) => hide(error, actor, container))
    : (container as unknown as S);
  const right = rightFor(actor, declared.can, subject);
  if (!right) throw refusal(actor, container, declared.can);
  const isOwnCall = !call.byPage && !isAnonymousReport(declared.can, input);
  if (actor && isOwnCall && isByInvitation(actor, right, container))
    await hooks.acceptInvitation({ actor, requestId: call.requestId }, placeOf(container));
  const context = { ...subject, actor: actor as WhoFor<P>, right, call };
  const result = await declared.run(context, input as z.output<In>);
  if (result instanceof Response || result instanceof JsonText) return result;
  return declared.output ? declared.output.parse(result) : result;
}

/**
 * Without a role in the container: 403. Where the container itself is the subject, its rule decides now. Whose
 * roles there all wait for a second factor gets no further, whatever it is about.
 */
function admit(
  actor: Actor,
  permission: Permission,
  { container, decides }: { container: Subject; decides: boolean },
): void {
  const named = container.organizationId !== undefined || container.eventId !== undefined;
  const belongs = !named || belongsTo(actor, container);
  const stands = belongs || !isWithheld(actor, container);
  if (!stands || (decides ? !can(actor, permission, container) : !belongs))
    throw refusal(actor, container, permission);
}

/** Its sender accepts nothing by it: the audit entry of that would say who sent it, and when (contract 7.3). */
const isAnonymousReport = (permission: Permission, input: unknown): boolean =>
  permission === "incident.create" && (input as { anonymous?: boolean } | undefined)?.anonymous === true;

/** Where an invitation is accepted: a container that gives the actor a right always names its organization. */
function placeOf({ organizationId, eventId }: Subject): { organizationId: string; eventId: string | null } {
  if (organizationId === undefined) throw new Error("a container without its organization");
  return { organizationId, eventId: eventId ?? null };
}

/** What is only missing because a role is withheld is not absent: the actor hears what to do about it. */
function hide(error: unknown, actor: Actor | null, container: Subject): never {
  const missing = error instanceof AppError && error.code === "NOT_FOUND";
  throw missing && actor && isWithheld(actor, container) ? refusal(actor, container) : error;
}

/** @throws InvalidInput that names each field and what is wrong with it. */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields: Record<string, string> = {};
  for (const issue of parsed.error.issues) {
    const field = issue.path.map(String).join(".");
    fields[field] ??= wordsOf(issue, value);
  }
  throw new InvalidInput(fields);
}

function wordsOf(issue: z.core.$ZodIssue, input: unknown): string {
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
export const only = <C extends Subject>(container: Scope<C, C>["container"]): Scope<C, C> => ({ container });

/** The scope of what belongs to no organization and no event. */
export const nothing = only(async () => ({}) as Subject);

/** The request behind a call that only the HTTP door can serve. */
export function requestOf({ request }: Call): Following {
  const signal = request?.signal;
  if (!signal) throw new Error("this operation streams its answer, and only Next can do that");
  return request as Following;
}
