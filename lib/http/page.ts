import { randomUUID } from "node:crypto";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { getDeviceCookieName } from "#lib/rate-limits/device-cookie.ts";
import { getSessionCookieName } from "#lib/accounts/sessions.ts";
import { consumeCallLimit } from "#lib/rate-limits/rate-limits.ts";
import {
  toAppError,
  createForbiddenError,
  InvalidInputError,
  createNotFoundError,
  createUnauthenticatedError,
  type ErrorCode,
} from "#lib/operation/errors.ts";
import {
  addActorToLogUnlessReporting,
  createLogContext,
  logDenial,
  type RequestLogContext,
} from "#lib/operation/denials.ts";
import { identifyActor } from "#lib/http/identify.ts";
import { findExpiredSessionFormValues } from "#lib/http/page-status.ts";
import { performOperation } from "#lib/http/perform.ts";
import type {
  RecordsFoundByPage,
  Operation,
  OperationCall,
  OperationCaller,
  PathParams,
} from "#lib/operation/operation.ts";
import { hasUsedQuickExit, readMailboxCookie } from "#lib/http/quick-exit.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { requiresUnidentifiedSender, type Actor } from "#lib/operation/policy.ts";
import { LOCALE_COOKIE, negotiateLocale, type Locale } from "#lib/i18n/locales.ts";

/** The page adapter: a page shows the output of an operation, through the same checks as the API. */

/** Returns the actor who views this page; null for a visitor. Cached, so it costs one lookup per request. */
export const getCurrentActor = cache(async (): Promise<Actor | null> => {
  const [jar, given] = [await cookies(), await headers()];
  if (hasUsedQuickExit((name) => jar.get(name)?.value)) return null;
  const credentials = {
    cookie: jar.get(getSessionCookieName())?.value,
    authorization: given.get("authorization"),
  };
  return (await identifyActor(credentials)).actor;
});

/**
 * Returns the names of this page's invalid filters. The page is shown without them and says so.
 */
export const getIgnoredPageFilterNames = cache((): Set<string> => new Set());

/**
 * Performs a GET operation for a page. Without a session, redirects to sign-in and back. Invalid filters in the URL
 * are dropped, and `getIgnoredPageFilterNames` returns them, except the search text: without it, everything would seem
 * to match.
 * @throws AppError that `definePage` (components/shell/page.tsx) turns into an error page
 */
export const loadPageData = <Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: PathParams = {},
  search: SearchParams = {},
): Promise<Result> =>
  loadWith(operation, { params, query: omitEmptyParams(search) }, performIgnoringInvalidFilters);

/**
 * Like `loadPageData`, but for an actor whom the page has identified without the session, such as the team member who
 * handed over the device.
 */
export const loadPageDataAsGivenActor = <Result>(
  actor: Actor,
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: PathParams,
): Promise<Result> => loadWith(operation, { params, query: {} }, performWithQuery, actor);

/**
 * Like `loadPageData`, for pages that act on all returned records: refuses an invalid filter instead of dropping it.
 */
export const loadPageDataRefusingBadFilters = <Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  search: SearchParams,
): Promise<Result> => loadWith(operation, { params: {}, query: omitEmptyParams(search) }, performWithQuery);

/**
 * Creates the call of a page that is being displayed. Such a call doesn't accept a pending invitation to a role
 * (docs/decisions/033): the report form lists the team, which needs a role, and an acceptance recorded at that moment
 * would reveal who sends an anonymous report a moment later.
 */
const createPageReadCall = async (): Promise<OperationCall> => ({
  ...(await createPageCallContext()),
  byPage: getRecordsFoundByPage(),
});

const getRecordsFoundByPage = cache((): RecordsFoundByPage => new Map());

const omitEmptyParams = (search: SearchParams): OperationQuery["query"] =>
  Object.fromEntries(
    Object.entries(search).flatMap(([k, v]) => (v === undefined || v === "" ? [] : [[k, v]])),
  );

async function loadWith<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  operationQuery: OperationQuery,
  performer: typeof performWithQuery,
  actorOfPage?: Actor,
): Promise<Result> {
  const actor = requiresUnidentifiedSender(operation.can) ? null : (actorOfPage ?? (await getCurrentActor()));
  const call = await createPageReadCall();
  try {
    await consumeCallLimit(operation.limit, {
      userId: actor?.id ?? null,
      address: call.address,
      byPage: true,
    });
    return (await performer(operation, { actor, call }, operationQuery)) as Result;
  } catch (error) {
    return await rethrowForPage(error, buildLogContext(operation, { actor, call }));
  }
}

/**
 * Like `loadPageData`, for an optional part of a page. Returns null where the record is missing or the actor may not
 * see it, and, for an operation that identifies nobody, where the mailbox isn't open on this device.
 */
export async function loadOptionalPageData<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: PathParams = {},
  search: SearchParams = {},
): Promise<Result | null> {
  const unidentified = requiresUnidentifiedSender(operation.can);
  const caller = { actor: unidentified ? null : await getCurrentActor(), call: await createPageReadCall() };
  try {
    await consumeCallLimit(operation.limit, {
      userId: caller.actor?.id ?? null,
      address: caller.call.address,
      byPage: true,
    });
    return (await performIgnoringInvalidFilters(operation, caller, {
      params,
      query: omitEmptyParams(search),
    })) as Result;
  } catch (error) {
    const logContext = buildLogContext(operation, caller);
    const appError = toAppError(error, logContext.requestId);
    const { code } = appError;
    return code === "NOT_FOUND" || FORBIDDEN_CODES.has(code) || (unidentified && code === "UNAUTHENTICATED")
      ? null
      : await rethrowForPage(appError, logContext);
  }
}

/**
 * The parameters of a page's path and query. A name that appears twice in the URL has both values; no filter accepts
 * two.
 */
type OperationQuery = { params: PathParams; query: Record<string, string | string[]> };

const performWithQuery = (
  operation: Operation<never, unknown> | Operation,
  caller: OperationCaller,
  { params, query }: OperationQuery,
): Promise<unknown> => performOperation(operation, caller, { params, readInput: async () => query });

/** Drops filters that are invalid and performs the operation with the others. */
async function performIgnoringInvalidFilters(
  operation: Operation<never, unknown> | Operation,
  caller: OperationCaller,
  operationQuery: OperationQuery,
): Promise<unknown> {
  try {
    return await performWithQuery(operation, caller, operationQuery);
  } catch (error) {
    if (!(error instanceof InvalidInputError) || "search" in error.fields) throw error;
    const { known = [], unknown = [] } = Object.groupBy(Object.entries(operationQuery.query), ([name]) =>
      name in error.fields ? "unknown" : "known",
    );
    const result = await performWithQuery(operation, caller, {
      ...operationQuery,
      query: Object.fromEntries(known),
    });
    for (const [name] of unknown) getIgnoredPageFilterNames().add(name);
    return result;
  }
}

/** Redirects a visitor to sign-in and back here afterwards. */
export async function getActorOrRedirectToSignIn(): Promise<Actor> {
  return (await getCurrentActor()) ?? (await redirectToSignIn());
}

/**
 * Redirects to sign-in and back.
 * @throws AppError UNAUTHENTICATED where a form has just arrived whose text a redirect would lose
 */
async function redirectToSignIn(): Promise<never> {
  if (findExpiredSessionFormValues((await createPageCallContext()).requestId))
    throw createUnauthenticatedError();
  redirect(`/login?next=${encodeURIComponent(await getCurrentPathAndQuery())}`);
}

/** Makes the page a 404, for a page that finds no record itself. @throws AppError NOT_FOUND, always */
export function throwNotFound(): never {
  throw createNotFoundError();
}

/** Makes the page a 403, for a page that checks access itself. @throws AppError FORBIDDEN, always */
export function throwForbidden(): never {
  throw createForbiddenError();
}

async function rethrowForPage(error: unknown, logContext: RequestLogContext): Promise<never> {
  const appError = toAppError(error, logContext.requestId);
  logDenial(appError, logContext);
  if (appError.code === "UNAUTHENTICATED") await redirectToSignIn();
  throw appError;
}

function buildLogContext(
  operation: Operation<never, unknown> | Operation,
  { actor, call }: { actor: Actor | null; call: OperationCall },
): RequestLogContext {
  const requested = createLogContext(operation, call.requestId);
  addActorToLogUnlessReporting(requested, operation, actor);
  return requested;
}

const FORBIDDEN_CODES = new Set<ErrorCode>([
  "FORBIDDEN",
  "SECOND_FACTOR_REQUIRED",
  "EMAIL_UNVERIFIED",
  "TOKEN_SCOPE",
  "CONFLICT_CHECK_REQUIRED",
]);

/** Returns the language of this page: chosen in the account or on this device, else the browser's preference. */
export const getCurrentLocale = cache(async (): Promise<Locale> => {
  const [jar, given] = [await cookies(), await headers()];
  const chosen = (await findCurrentActor())?.locale ?? jar.get(LOCALE_COOKIE)?.value;
  return negotiateLocale(chosen, given.get("accept-language"));
});

/** Returns the context in which every part of a page renders: language, path and reader. */
export const getCurrentPageContext = async (): Promise<{
  locale: Locale;
  path: string;
  reader: Actor | null;
}> => ({
  locale: await getCurrentLocale(),
  path: await getCurrentPathAndQuery(),
  reader: await findCurrentActor(),
});

/**
 * Finds the actor of the page; null also when the database is unreachable, since the page that says so needs a
 * language, too.
 */
async function findCurrentActor(): Promise<Actor | null> {
  try {
    return await getCurrentActor();
  } catch {
    return null;
  }
}

/** Returns the requested path and query, from a header that only the server in front sets, never the client. */
export async function getCurrentPathAndQuery(): Promise<string> {
  const path = (await headers()).get("x-heed-path") ?? "/";
  return path.startsWith("/") && !path.startsWith("//") ? stripRscParameter(path) : "/";
}

/** Removes the parameter that Next's router adds to links that are followed with script. */
function stripRscParameter(path: string): string {
  const [plain = "/", query = ""] = path.split(/\?(.*)/s, 2);
  const parameters = query.split("&").filter((part) => part !== "" && !/^_rsc(=|$)/.test(part));
  return parameters.length > 0 ? `${plain}?${parameters.join("&")}` : plain;
}

/** Creates the call context of pages and forms. */
export async function createPageCallContext(): Promise<OperationCall> {
  const [jar, given] = [await cookies(), await headers()];
  return {
    requestId: given.get("x-request-id") ?? randomUUID(),
    address: given.get("x-heed-client") ?? "",
    userAgent: given.get("user-agent"),
    device: jar.get(getDeviceCookieName())?.value ?? null,
    ...readMailboxCookie((name) => jar.get(name)?.value),
    accepts: () => false,
    ifMatch: null,
    idempotencyKey: null,
    request: null,
    files: [],
    setCookie: () => undefined,
    responseHeaders: {},
  };
}
