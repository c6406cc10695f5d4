import { randomUUID } from "node:crypto";
import { deviceCookieName } from "#lib/rate-limits/device-cookie.ts";
import type { SessionCookie } from "#lib/accounts/sessions.ts";
import type { Asking } from "#lib/operation/request.ts";
import { AppError, describeError } from "#lib/operation/errors.ts";
import { readMultipart, type Upload } from "#lib/files/upload/multipart.ts";
import { nameAsker, noteDenial, type Requested } from "#lib/operation/denials.ts";
import { refuseOthers } from "#lib/http/form-drafts.ts";
import { refuseCrossSite } from "#lib/http/cross-site-guard.ts";
import { cookieIn, credentialsIn, identify, refuseReadOnly, setCookieHeader } from "#lib/http/identify.ts";
import { JSON_HEADERS, JsonText } from "#lib/operation/json-text.ts";
import { readJson } from "#lib/http/json-body.ts";
import type { Call, Operation, Params } from "#lib/operation/operation.ts";
import { performOperation } from "#lib/http/perform.ts";
import { readQuery } from "#lib/http/query.ts";
import { countCall } from "#lib/rate-limits/rate-limits.ts";
import { rememberWay, type Answered, type ShortWay } from "#lib/http/direct-handlers.ts";
import { WRONG_METHOD_HEADER } from "#lib/http/headers.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** The HTTP door: route handlers over operations. */

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];
type Handler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[] | undefined>> },
) => Promise<Response>;

// oxlint-disable-next-line typescript/no-explicit-any -- the doors take operations of every type
type AnyOperation = Operation<any, any>;
type Route = Record<Method | "OPTIONS", Handler>;

/**
 * The handlers of one path. Methods without an operation answer 405 with `Allow`, as JSON (contract 3.1);
 * HEAD goes to the GET handler, by Next.
 */
export function route(operations: Partial<Record<Method, AnyOperation>>): Route {
  const handlers = Object.entries(operations).map(([method, declared]) => [method, endpoint(declared)]);
  return withOthers(Object.fromEntries(handlers));
}

/**
 * The handlers of a path that is no operation: it answers whoever asks, and needs neither session nor database.
 * @param answer may throw AppError
 * @param described what the OpenAPI document says of it; without it, the path isn't in the document
 */
export function probe(answer: (request: Request) => Promise<Response>, described?: AnyOperation): Route {
  const GET: Handler = async (request) =>
    answer(request).catch((error: unknown) =>
      errorResponse(describeError(error, request.headers.get("x-request-id"))),
    );
  return withOthers({ GET: Object.assign(GET, described && { operation: described }) });
}

function withOthers(given: Partial<Record<Method, Handler>>): Route {
  const allow = [
    ...METHODS.filter((method) => given[method]),
    ...(given.GET ? ["HEAD"] : []),
    "OPTIONS",
  ].join(", ");
  const handlers = Object.fromEntries(
    METHODS.map((method) => [method, given[method] ?? refuseMethod(allow)]),
  ) as Record<Method, Handler>;
  const refuse = refuseMethod(allow);
  const OPTIONS: Handler = async (request, context) =>
    request.headers.has(WRONG_METHOD_HEADER)
      ? refuse(request, context)
      : new Response(null, { status: 204, headers: { Allow: allow } });
  return { ...handlers, OPTIONS };
}

const refuseMethod =
  (allow: string): Handler =>
  async () =>
    errorResponse(
      new AppError("METHOD_NOT_ALLOWED", "This path doesn't take that method.", `It takes ${allow}.`, {
        Allow: allow,
      }),
    );

/** The answer to every path under /api that isn't there. */
export const unknownPath: Handler = async () =>
  errorResponse(new AppError("NOT_FOUND", "Not found.", "There is nothing at this path."));

/** The operation behind a handler hangs on it, for the OpenAPI document and the tests. */
export const operationOf = (handler: unknown): AnyOperation | undefined =>
  (handler as { operation?: AnyOperation } | undefined)?.operation;

function endpoint(operation: AnyOperation): Handler {
  const answer = async (request: Asking, params: Calling["params"]): Promise<Answered | Response> => {
    const cookies: SessionCookie[] = [];
    const answerHeaders = {};
    const requestId = request.headers.get("x-request-id");
    const about: Requested = { operation: operation.name, requestId };
    try {
      const result = await callOperation(operation, request, { params, cookies, answerHeaders, about });
      return withCookies(respond(operation, result, answerHeaders), cookies);
    } catch (error) {
      return withCookies(refused(describeError(error, requestId), about), cookies);
    }
  };
  // What may be no JSON is streamed, which Next does.
  const way: ShortWay | undefined = isJson(operation)
    ? (request, params) => answer(request, Promise.resolve(params)) as Promise<Answered>
    : undefined;
  const handler: Handler = async (request, { params }) => {
    if (way) rememberWay(request, way);
    return asResponse(await answer(request, params));
  };
  return Object.assign(handler, { operation });
}

const isJson = ({ output, produces }: AnyOperation): boolean => output !== null && produces.length === 0;

export type OnBody = (actor: Actor | null, call: Call) => void;

type Calling = {
  params: Promise<Record<string, string | string[] | undefined>>;
  /** Filled with the cookies that the response must set. */
  cookies: SessionCookie[];
  /** Filled with what the operation says in headers. */
  answerHeaders?: Record<string, string>;
  /** Turns the body into the operation's input, where a form says it differently. */
  shape?: (input: unknown) => unknown;
  /** Told of each plain field of a multipart body as it is read, also when the body is refused later on. */
  onField?: (name: string, value: string) => void;
  /** Of a form: whose it is, as its ticket says. */
  writer?: string | null;
  /** Told when the body has been read, before anything is done with it; may refuse it, or give the call its key. */
  onBody?: OnBody;
  /** The body may bring the idempotency key of a report that has arrived already. */
  mayBeReplay?: boolean;
  /** Told who asks, for the line in the log if the request is refused. */
  about?: Requested;
};

/**
 * What every call over HTTP passes, in this order: cross-site guard, who it is, limits, the operation with its
 * checks, and the removal of what an upload left behind. Also used by the upload door (upload-form.ts).
 * @throws what the operation throws
 */
export async function callOperation(
  operation: AnyOperation,
  request: Asking,
  calling: Calling,
): Promise<unknown> {
  const { cookies, shape = (input: unknown) => input, onField } = calling;
  let upload: Upload | undefined;
  try {
    refuseCrossSite(request.method, request.headers);
    const params = paramsOf(await calling.params);
    const within = operation.rolesIn === "event" ? params : undefined;
    const { actor, renewed } = await identify(credentialsIn(request.headers), within);
    if (renewed) cookies.push(renewed);
    refuseOthers(actor, calling.writer ?? null);
    if (calling.about) nameAsker(calling.about, operation, actor);
    const call = callOf(request, calling);
    const caller = { userId: actor?.id ?? null, address: call.address, device: call.device };
    const mayBeReplay = calling.mayBeReplay || call.idempotencyKey !== null;
    await countCall(operation.limit, { ...caller, mayBeReplay });
    refuseReadOnly(actor, request.method);
    const readBody = async () => {
      const read = await readInput(operation, request, onField);
      upload = read.upload;
      call.files.push(...(read.upload?.files ?? []));
      calling.onBody?.(actor, call);
      return shape(read.input);
    };
    return await performOperation(operation, { actor, call }, { params, readInput: readBody });
  } finally {
    await upload?.discard();
  }
}

const paramsOf = (params: Record<string, string | string[] | undefined> | undefined): Params =>
  Object.fromEntries(Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]));

function callOf(request: Asking, { cookies, answerHeaders = {} }: Calling): Call {
  const accept = request.headers.get("accept") ?? "";
  return {
    requestId: request.headers.get("x-request-id") ?? randomUUID(),
    address: request.headers.get("x-heed-client") ?? "",
    userAgent: request.headers.get("user-agent"),
    device: cookieIn(request.headers.get("cookie"), deviceCookieName()) ?? null,
    accepts: (type) =>
      accept
        .toLowerCase()
        .split(",")
        .some((part) => part.split(";")[0]?.trim() === type && !/;\s*q=0(\.0*)?\s*$/.test(part)),
    ifMatch: request.headers.get("if-match"),
    idempotencyKey: request.headers.get("idempotency-key"),
    request,
    files: [],
    setCookie: (cookie) => cookies.push(cookie),
    answerHeaders,
  };
}

type Read = { input: unknown; upload?: Upload };

/** The body as the operation declares it; for GET the query. */
export async function readInput(
  operation: AnyOperation,
  request: Asking,
  onField?: Calling["onField"],
): Promise<Read> {
  if (request.method === "GET" || request.method === "HEAD") return { input: readQuery(request.url) };
  const rule = operation.upload;
  const json = rule?.orJson && /^application\/json\b/i.test(request.headers.get("content-type") ?? "");
  if (!rule || json) return { input: await readJson(request) };
  const upload = await readMultipart(request, {
    files: {
      field: rule.fields,
      max: rule.maxFiles,
      maxBytesEach: rule.maxBytesEach,
      maxBytesTotal: rule.maxBytesTotal,
    },
    fields: { maxCount: 50, maxBytes: 200 * 1024 },
    ...(onField ? { onField } : {}),
  });
  // A form sends its empty fields, too; they mean "not given".
  const given = Object.entries(upload.fields).filter(([, value]) => value !== "");
  return { input: Object.fromEntries(given), upload };
}

function respond(
  operation: AnyOperation,
  result: unknown,
  headers: Record<string, string>,
): Answered | Response {
  if (result instanceof Response && isJson(operation))
    throw new Error(`${operation.name} doesn't say that it answers with something else than JSON`);
  if (result instanceof Response) return result;
  if (operation.status === 204) return { status: 204, headers: {}, cookies: [], text: null };
  const text = result instanceof JsonText ? result.text : JSON.stringify(result);
  return { status: operation.status, headers: { ...JSON_HEADERS, ...headers }, cookies: [], text };
}

/** Every error, on every path, is `{ error, details, code }` (contract 3.3). */
export const errorResponse = (error: AppError, about: Requested = {}): Response =>
  asResponse(refused(error, about));

function refused(error: AppError, about: Requested): Answered {
  noteDenial(error, about);
  const { message, details, code, status } = error;
  const text = JSON.stringify({ error: message, details, code });
  return { status, headers: { ...JSON_HEADERS, ...error.headers }, cookies: [], text };
}

function withCookies(answer: Answered | Response, given: SessionCookie[]): Answered | Response {
  const cookies = given.map(setCookieHeader);
  if (!(answer instanceof Response)) return { ...answer, cookies };
  for (const cookie of cookies) answer.headers.append("Set-Cookie", cookie);
  return answer;
}

function asResponse(answer: Answered | Response): Response {
  if (answer instanceof Response) return answer;
  const headers = new Headers(answer.headers);
  for (const cookie of answer.cookies) headers.append("Set-Cookie", cookie);
  return new Response(answer.text, { status: answer.status, headers });
}
