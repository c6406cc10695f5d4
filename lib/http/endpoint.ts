import type { CookieToSet } from "#lib/accounts/sessions.ts";
import type { ApiRequest } from "#lib/operation/request.ts";
import { AppError, serializeErrorTextKeyAndNumbers, toAppError } from "#lib/operation/errors.ts";
import { openRequestBytes } from "#lib/files/upload/bytes-in-flight.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { readMultipartForm, type ParsedMultipartForm } from "#lib/files/upload/multipart.ts";
import {
  addActorToLogUnlessReporting,
  createLogContext,
  logDenial,
  type RequestLogContext,
} from "#lib/operation/denials.ts";
import { refuseFormOfOtherWriter } from "#lib/http/form-drafts.ts";
import { refuseCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import {
  readCredentials,
  identifyActor,
  refuseWriteByReadToken,
  formatSetCookieHeader,
} from "#lib/http/identify.ts";
import { PRIVATE_JSON_RESPONSE_HEADERS, SerializedJsonOutput } from "#lib/operation/json-text.ts";
import { readJsonBody } from "#lib/http/json-body.ts";
import type { OperationCall, Operation, PathParams } from "#lib/operation/operation.ts";
import { performOperation } from "#lib/http/perform.ts";
import { buildPaginationLinkHeader, findPageAndTotalPages } from "#lib/http/page-links.ts";
import { buildLocationHeaders } from "#lib/http/location.ts";
import { listUrlQueryNames, readQuery } from "#lib/http/query.ts";
import {
  formatIgnoredNamesHeader,
  isListOfInput,
  validateInputNamesAndListIgnored,
} from "#lib/http/unknown-names.ts";
import { buildRecordEtag, matchesIfNoneMatch } from "#lib/operation/etag.ts";
import {
  buildAuthChallengeHeaders,
  replaceErrorIfTokenWasRefused,
} from "#lib/http/authentication-challenge.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { consumeCallLimit } from "#lib/rate-limits/rate-limits.ts";
import { buildRateLimitHeaders } from "#lib/rate-limits/rate-limit-headers.ts";
import {
  registerDirectApiPathHandler,
  type ApiResponse,
  type DirectApiPathHandler,
} from "#lib/http/direct-handlers.ts";
import { buildHttpCall } from "#lib/http/http-call.ts";
import { UNKNOWN_METHOD_HEADER } from "#lib/http/headers.ts";
import { requiresUnidentifiedSender, type Actor } from "#lib/operation/policy.ts";

/** The HTTP adapter: route handlers for operations. */

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];
type Handler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[] | undefined>> },
) => Promise<Response>;

// oxlint-disable-next-line typescript/no-explicit-any -- the adapters take operations of every type
type AnyOperation = Operation<any, any>;
type RouteHandlers = Record<Method | "OPTIONS", Handler>;

/**
 * Creates the handlers of one path. Methods without an operation get 405 with `Allow`, as JSON (contract 3.1); Next
 * sends HEAD to the GET handler.
 */
export function createRouteHandlers(operations: Partial<Record<Method, AnyOperation>>): RouteHandlers {
  const handlers = Object.entries(operations).map(([method, declared]) => [
    method,
    createEndpointHandler(declared),
  ]);
  return addMissingMethods(Object.fromEntries(handlers));
}

/**
 * Creates the handlers of a path that isn't an operation: it answers anyone and needs neither session nor database.
 * @param answer may throw AppError
 * @param described its entry in the OpenAPI document; without one, the document leaves the path out
 */
export function createNonOperationRouteHandlers(
  answer: (request: Request) => Promise<Response>,
  described?: AnyOperation,
): RouteHandlers {
  const GET: Handler = async (request) =>
    answer(request).catch((error: unknown) =>
      createErrorResponse(toAppError(error, request.headers.get("x-request-id"))),
    );
  return addMissingMethods({ GET: Object.assign(GET, described && { operation: described }) });
}

function addMissingMethods(given: Partial<Record<Method, Handler>>): RouteHandlers {
  const allow = [
    ...METHODS.filter((method) => given[method]),
    ...(given.GET ? ["HEAD"] : []),
    "OPTIONS",
  ].join(", ");
  const handlers = Object.fromEntries(
    METHODS.map((method) => [method, given[method] ?? createMethodNotAllowedHandler(allow)]),
  ) as Record<Method, Handler>;
  const refuseUnknownMethod = createMethodNotAllowedHandler(allow);
  const OPTIONS: Handler = async (request, context) =>
    request.headers.has(UNKNOWN_METHOD_HEADER)
      ? refuseUnknownMethod(request, context)
      : new Response(null, { status: 204, headers: { Allow: allow } });
  return { ...handlers, OPTIONS };
}

const createMethodNotAllowedHandler =
  (allow: string): Handler =>
  async () =>
    createErrorResponse(
      new AppError(
        "METHOD_NOT_ALLOWED",
        "methodNotAllowed",
        { methods: allow },
        { headers: { Allow: allow } },
      ),
    );

/** Responds with 404 to every unknown path under /api. */
export const handleUnknownPath: Handler = async () =>
  createErrorResponse(new AppError("NOT_FOUND", "nothingAtPath"));

/** Returns the operation behind a handler, for the OpenAPI document and the tests. */
export const findOperationOfHandler = (handler: unknown): AnyOperation | undefined =>
  (handler as { operation?: AnyOperation } | undefined)?.operation;

function createEndpointHandler(operation: AnyOperation): Handler {
  const answer = async (
    request: ApiRequest,
    params: CallOptions["params"],
  ): Promise<ApiResponse | Response> => {
    const cookies: CookieToSet[] = [];
    const responseHeaders = {};
    const limitHeaders = {};
    const logContext = createLogContext(operation, request.headers.get("x-request-id"));
    try {
      const result = await handleOperationHttpCall(operation, request, {
        params,
        cookies,
        responseHeaders,
        limitHeaders,
        about: logContext,
        checkNames: true,
      });
      const location = buildLocationHeaders(operation, request, result);
      const headers = { ...limitHeaders, ...location, ...responseHeaders };
      return addCookies(toApiResponse(operation, request, { result, headers }), cookies);
    } catch (thrown) {
      const error = await explainError(operation, request, toAppError(thrown, logContext.requestId));
      return addCookies(toErrorApiResponse(error, logContext, limitHeaders), cookies);
    }
  };
  // Responses that may not be JSON are streamed, which needs Next.
  const directHandler: DirectApiPathHandler | undefined = isJsonOperation(operation)
    ? (request, params) => answer(request, Promise.resolve(params)) as Promise<ApiResponse>
    : undefined;
  const handler: Handler = async (request, { params }) => {
    if (directHandler) registerDirectApiPathHandler(request, directHandler);
    return toResponse(await answer(request, params));
  };
  return Object.assign(handler, { operation });
}

/** Replaces the error of a refused token with the reason why it was refused. */
async function explainError(
  { can }: AnyOperation,
  { headers }: ApiRequest,
  error: AppError,
): Promise<AppError> {
  // Operations whose sender must stay unidentified ignore a token, so it can't be the reason for the error.
  if (requiresUnidentifiedSender(can)) return error;
  return replaceErrorIfTokenWasRefused(error, headers).catch((failure) =>
    toAppError(failure, headers.get("x-request-id")),
  );
}

const isJsonOperation = ({ output, produces }: AnyOperation): boolean =>
  output !== null && produces.length === 0;

export type BodyReadCallback = (actor: Actor | null, call: OperationCall) => void | Promise<void>;

type CallOptions = {
  params: Promise<Record<string, string | string[] | undefined>>;
  /** Filled with the cookies that the response must set. */
  cookies: CookieToSet[];
  /** Filled with the headers that the operation sets. */
  responseHeaders?: Record<string, string>;
  /** Filled with the call's rate-limit headers, whether it succeeds or fails. */
  limitHeaders?: Record<string, string>;
  /** Converts the body to the operation's input, where a form has a different shape. */
  shape?: (input: unknown) => unknown;
  /** Called for each text field of a multipart body as it is read, even if the body is refused later. */
  onField?: (name: string, value: string) => void;
  /** The id of the user who wrote the form, from its ticket (sealWriterIdAsFormTicket). */
  writer?: string | null;
  /** Called once the body has been read and before the operation runs; may refuse it or set the idempotency key. */
  onBody?: BodyReadCallback;
  /** The body may carry the idempotency key of a report that has already arrived. */
  mayBeReplay?: boolean;
  /**
   * Refuses input names that the operation doesn't know, or lists them in the header `X-Ignored`. Not set for forms,
   * which send fields of their own.
   */
  checkNames?: true;
  /** Receives the actor, for the log line if the request is refused. */
  about?: RequestLogContext;
};

/**
 * Takes every HTTP call through the cross-site guard, authentication, rate limits and the operation with its checks,
 * in this order, and then removes temporary upload files. Also used by the upload adapter (upload-form.ts).
 * @throws what the operation throws
 */
export async function handleOperationHttpCall(
  operation: AnyOperation,
  request: ApiRequest,
  options: CallOptions,
): Promise<unknown> {
  const { cookies, shape = (input: unknown) => input, onField, checkNames } = options;
  let upload: ParsedMultipartForm | undefined;
  try {
    refuseCrossSiteRequest(request.method, request.headers);
    const params = toPathParams(await options.params);
    const eventScope = operation.rolesIn === "event" ? params : undefined;
    const { actor, renewed } = requiresUnidentifiedSender(operation.can)
      ? { actor: null, renewed: undefined }
      : await identifyActor(readCredentials(request.headers), eventScope);
    if (renewed) cookies.push(renewed);
    refuseFormOfOtherWriter(actor, options.writer ?? null);
    if (options.about) addActorToLogUnlessReporting(options.about, operation, actor);
    const call = buildHttpCall(request, options);
    const mayBeReplay = options.mayBeReplay || call.idempotencyKey !== null;
    const usages = await consumeCallLimit(operation.limit, { ...toLimitedCaller(actor, call), mayBeReplay });
    Object.assign(options.limitHeaders ?? {}, buildRateLimitHeaders(usages));
    refuseWriteByReadToken(actor, request.method);
    const ignored = checkNames && !isQueryInput(operation, request) ? listUrlQueryNames(request.url) : [];
    const readBody = async () => {
      const read = await readOperationInput(operation, request, { onField, sender: toSender(actor, call) });
      upload = read.upload;
      call.files.push(...(read.upload?.files ?? []));
      await options.onBody?.(actor, call);
      if (checkNames) ignored.push(...validateInputNamesAndListIgnored(operation, request, read.input));
      return shape(read.input);
    };
    const result = await performOperation(operation, { actor, call }, { params, readInput: readBody });
    addPageLinks(call, result);
    if (ignored.length > 0) call.responseHeaders["X-Ignored"] = formatIgnoredNamesHeader(ignored);
    return result;
  } finally {
    await upload?.discard();
  }
}

/** Links the pages of a list to each other (contract 3.17). */
function addPageLinks({ request, responseHeaders, nextCursor }: OperationCall, result: unknown) {
  const isRead = request?.method === "GET" || request?.method === "HEAD";
  const paging = isRead ? findPageAndTotalPages(result) : undefined;
  if (request && paging) responseHeaders["Link"] = buildPaginationLinkHeader(request.url, paging, nextCursor);
}

const toLimitedCaller = (actor: Actor | null, { address, device }: OperationCall) => ({
  userId: actor?.id ?? null,
  byToken: actor?.token !== undefined,
  address,
  device,
});

const isQueryInput = ({ input }: AnyOperation, { method }: ApiRequest): boolean =>
  input !== undefined && (method === "GET" || method === "HEAD");

const toPathParams = (params: Record<string, string | string[] | undefined> | undefined): PathParams =>
  Object.fromEntries(Object.entries(params ?? {}).map(([name, value]) => [name, String(value)]));

/** `sender` identifies whose bytes a body is: a signed-in person, or an address. */
type BodyReader = { onField?: CallOptions["onField"]; sender: string };

const toSender = (actor: Actor | null, { address }: Pick<OperationCall, "address">): string =>
  (actor ? createLaneForUser(actor.id) : createLaneForAddress(address)).name;

type ReadInput = { input: unknown; upload?: ParsedMultipartForm };

/** Reads the body as the operation declares it, or the query for GET. */
export async function readOperationInput(
  operation: AnyOperation,
  request: ApiRequest,
  { onField, sender }: BodyReader,
): Promise<ReadInput> {
  const isList = (name: string) => isListOfInput(operation, name);
  if (request.method === "GET" || request.method === "HEAD") return { input: readQuery(request.url, isList) };
  const uploadRule = operation.upload;
  const contentType = request.headers.get("content-type") ?? "";
  const isJsonBody = uploadRule?.orJson && /^application\/json\b/i.test(contentType);
  if (!uploadRule || isJsonBody) return { input: await readJsonBody(request) };
  if (uploadRule.orJson && !/^multipart\/form-data\b/i.test(contentType))
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "multipartOrJsonRequired");
  const upload = await readMultipartForm(request, {
    files: {
      field: uploadRule.fields,
      max: uploadRule.maxFiles,
      maxBytesEach: uploadRule.maxBytesEach,
      maxBytesTotal: uploadRule.maxBytesTotal,
    },
    fields: { maxCount: 50, maxBytes: 200 * 1024, isList },
    inFlight: openRequestBytes(sender),
    ...(onField ? { onField } : {}),
  });
  // A form also sends its empty fields; they mean "not given".
  const given = Object.entries(upload.fields).filter(([, value]) => value !== "");
  return { input: Object.fromEntries(given), upload };
}

function toApiResponse(
  operation: AnyOperation,
  request: ApiRequest,
  { result, headers }: { result: unknown; headers: Record<string, string> },
): ApiResponse | Response {
  if (result instanceof Response && isJsonOperation(operation))
    throw new Error(`${operation.name} doesn't declare that its response isn't JSON`);
  if (result instanceof Response) return addHeaders(result, headers);
  if (operation.status === 204) return { status: 204, headers, cookies: [], text: null };
  const text = result instanceof SerializedJsonOutput ? result.text : JSON.stringify(result);
  const response = {
    status: operation.status,
    headers: omitRateLimitsIfCacheable({ ...PRIVATE_JSON_RESPONSE_HEADERS, ...headers }),
    cookies: [],
    text,
  };
  return operation.version ? addEtag(response, request, operation.version(result as never)) : response;
}

/** Adds the tag of the record that a response shows; a client that has the same one gets no body (contract 3.16). */
function addEtag(response: ApiResponse, request: ApiRequest, version: string): ApiResponse {
  const etag = buildRecordEtag(version, response.text ?? "");
  const headers = { ...response.headers, ETag: etag };
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || !matchesIfNoneMatch(request.headers.get("if-none-match"), etag))
    return { ...response, headers };
  const { "Content-Type": _, ...withoutType } = headers as Record<string, string>;
  return { ...response, status: 304, headers: withoutType, text: null };
}

function addHeaders(response: Response, headers: Record<string, string>): Response {
  const caching = response.headers.get("cache-control") ?? "no-store";
  const added = omitRateLimitsIfCacheable({ ...headers, "Cache-Control": caching });
  for (const [name, value] of Object.entries(added))
    if (name !== "Cache-Control") response.headers.set(name, value);
  return response;
}

/** Leaves rate-limit headers out of a response that may be cached: they are about the first client only. */
const omitRateLimitsIfCacheable = (
  headers: Record<string, string> & { "Cache-Control": string },
): Record<string, string> =>
  headers["Cache-Control"].includes("no-store")
    ? headers
    : Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("RateLimit")));

/** Creates the response to an error, which on every path is `{ error, details, code }` (contract 3.3). */
export const createErrorResponse = (error: AppError, logContext: RequestLogContext = {}): Response =>
  toResponse(toErrorApiResponse(error, logContext));

function toErrorApiResponse(
  error: AppError,
  logContext: RequestLogContext,
  limitHeaders: Record<string, string> = {},
): ApiResponse {
  logDenial(error, logContext);
  const { message, details, code, status } = error;
  const text = JSON.stringify({ error: message, details, code });
  const headers = {
    ...PRIVATE_JSON_RESPONSE_HEADERS,
    "X-Error-Key": serializeErrorTextKeyAndNumbers(error),
    ...limitHeaders,
    ...buildAuthChallengeHeaders(status),
    ...error.headers,
  };
  return { status, headers, cookies: [], text };
}

/** Adds cookies to a response. No cache may keep it then, even if it shows something public. */
function addCookies(answer: ApiResponse | Response, given: CookieToSet[]): ApiResponse | Response {
  if (given.length === 0) return answer;
  const cookies = given.map(formatSetCookieHeader);
  const caching = PRIVATE_JSON_RESPONSE_HEADERS["Cache-Control"];
  if (!(answer instanceof Response))
    return { ...answer, headers: { ...answer.headers, "Cache-Control": caching }, cookies };
  answer.headers.set("Cache-Control", caching);
  for (const cookie of cookies) answer.headers.append("Set-Cookie", cookie);
  return answer;
}

function toResponse(answer: ApiResponse | Response): Response {
  if (answer instanceof Response) return answer;
  const headers = new Headers(answer.headers);
  for (const cookie of answer.cookies) headers.append("Set-Cookie", cookie);
  return new Response(answer.text, { status: answer.status, headers });
}
