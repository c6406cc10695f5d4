import { randomUUID } from "node:crypto";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { deviceCookieName } from "#lib/rate-limits/device-cookie.ts";
import { sessionCookieName } from "#lib/accounts/sessions.ts";
import { consumeCallLimit } from "#lib/rate-limits/rate-limits.ts";
import {
  toAppError,
  forbidden,
  InvalidInputError,
  notFound,
  unauthenticated,
  type ErrorCode,
} from "#lib/operation/errors.ts";
import { addActorToLogContext, logDenial, type RequestLogContext } from "#lib/operation/denials.ts";
import { identifyActor } from "#lib/http/identify.ts";
import { findLostForm } from "#lib/http/page-status.ts";
import { performOperation } from "#lib/http/perform.ts";
import type { OperationCall, Operation, PathParams } from "#lib/operation/operation.ts";
import { QUICK_EXIT_COOKIE } from "#lib/design/left-cookie.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { LOCALE_COOKIE, negotiateLocale, type Locale } from "#lib/i18n/locales.ts";

/** The page door: a page shows the answer of an operation, through the same checks as the API. */

type SearchParams = Record<string, string | string[] | undefined>;

/** Who looks at this page; null for a visitor. One query a request, however often it is asked. */
export const currentActor = cache(async (): Promise<Actor | null> => {
  const [jar, given] = [await cookies(), await headers()];
  if (jar.has(QUICK_EXIT_COOKIE)) return null;
  const credentials = {
    cookie: jar.get(sessionCookieName())?.value,
    authorization: given.get("authorization"),
  };
  return (await identifyActor(credentials)).actor;
});

/**
 * What the address of this page asks for and nobody knows, by the name of the filter: the page is shown without it, and
 * its door says so.
 */
export const ignoredFilters = cache((): Map<string, string> => new Map());

/**
 * The answer of a GET operation for a page. Without a session: to sign-in and back. Filters in the address that make
 * no sense are left out (`leftOut`), but not the words of a search: without them everything would seem to match.
 * @throws AppError of which the page's door (components/shell/page.tsx) makes a page that says so
 */
export const loadPageData = <Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: PathParams = {},
  search: SearchParams = {},
): Promise<Result> => loadWith(operation, { params, query: given(search) }, performIgnoringInvalidFilters);

/** Like `show`, where something is done to all that comes back: a filter that makes no sense is refused. */
export const loadPageDataStrict = <Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: PathParams,
  search: SearchParams,
): Promise<Result> => loadWith(operation, { params, query: given(search) }, performWithQuery);

/**
 * The call of a page that is displayed. It accepts no invitation: the report form lists the team by the reporter's role,
 * and an acceptance on record would tell who sends the anonymous report a moment later.
 */
const createPageReadCall = async (): Promise<OperationCall> => ({
  ...(await createPageCall()),
  byPage: true,
});

const given = (search: SearchParams): OperationQuery["query"] =>
  Object.fromEntries(
    Object.entries(search).flatMap(([k, v]) => (v === undefined || v === "" ? [] : [[k, v]])),
  );

async function loadWith<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  asked: OperationQuery,
  performer: typeof performWithQuery,
): Promise<Result> {
  const actor = await currentActor();
  const call = await createPageReadCall();
  try {
    await consumeCallLimit(operation.limit, { userId: actor?.id ?? null, address: call.address });
    return (await performer(operation, { actor, call }, asked)) as Result;
  } catch (error) {
    return await rethrowForPage(error, buildLogContext(operation, { actor, call }));
  }
}

/** Like `show`, for a part of a page that the page can do without: null where it is absent or not allowed. */
export async function loadOptionalPageData<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: PathParams = {},
): Promise<Result | null> {
  const caller = { actor: await currentActor(), call: await createPageReadCall() };
  try {
    await consumeCallLimit(operation.limit, {
      userId: caller.actor?.id ?? null,
      address: caller.call.address,
    });
    return (await performIgnoringInvalidFilters(operation, caller, { params, query: {} })) as Result;
  } catch (error) {
    const { code } = toAppError(error, caller.call.requestId);
    return code === "NOT_FOUND" || FORBIDDEN_CODES.has(code)
      ? null
      : await rethrowForPage(error, buildLogContext(operation, caller));
  }
}

/** A name that stands twice in the address has both values, which no filter takes. */
type OperationQuery = { params: PathParams; query: Record<string, string | string[]> };

type OperationCaller = { actor: Actor | null; call: OperationCall };

const performWithQuery = (
  operation: Operation<never, unknown> | Operation,
  caller: OperationCaller,
  { params, query }: OperationQuery,
): Promise<unknown> => performOperation(operation, caller, { params, readInput: async () => query });

/** What can't be used is left out, and the rest is asked for. */
async function performIgnoringInvalidFilters(
  operation: Operation<never, unknown> | Operation,
  caller: OperationCaller,
  asked: OperationQuery,
): Promise<unknown> {
  try {
    return await performWithQuery(operation, caller, asked);
  } catch (error) {
    if (!(error instanceof InvalidInputError) || "search" in error.fields) throw error;
    const { known = [], unknown = [] } = Object.groupBy(Object.entries(asked.query), ([name]) =>
      name in error.fields ? "unknown" : "known",
    );
    const result = await performWithQuery(operation, caller, { ...asked, query: Object.fromEntries(known) });
    for (const [name, value] of unknown) ignoredFilters().set(name, String(value));
    return result;
  }
}

/** Sends a visitor to sign in, and back here afterwards. */
export async function requireSignIn(): Promise<Actor> {
  return (await currentActor()) ?? (await redirectToSignIn());
}

/** @throws AppError UNAUTHENTICATED where a form has just arrived whose words would be lost on the way */
async function redirectToSignIn(): Promise<never> {
  if (findLostForm((await createPageCall()).requestId)) throw unauthenticated();
  redirect(`/login?next=${encodeURIComponent(await currentPath())}`);
}

/** For a page that finds by itself that there is nothing. @throws AppError NOT_FOUND */
export function throwNotFound(): never {
  throw notFound();
}

/** For a page that finds by itself that it isn't for this person. @throws AppError FORBIDDEN */
export function throwForbidden(): never {
  throw forbidden();
}

async function rethrowForPage(error: unknown, asked: RequestLogContext): Promise<never> {
  const appError = toAppError(error, asked.requestId);
  logDenial(appError, asked);
  if (appError.code === "UNAUTHENTICATED") await redirectToSignIn();
  throw appError;
}

function buildLogContext(
  operation: Operation<never, unknown> | Operation,
  { actor, call }: { actor: Actor | null; call: OperationCall },
): RequestLogContext {
  const requested: RequestLogContext = { operation: operation.name, requestId: call.requestId };
  addActorToLogContext(requested, operation, actor);
  return requested;
}

const FORBIDDEN_CODES = new Set<ErrorCode>([
  "FORBIDDEN",
  "SECOND_FACTOR_REQUIRED",
  "EMAIL_UNVERIFIED",
  "TOKEN_SCOPE",
]);

/** The language of this page: what the person chose, in their account or on this device, else what the browser asks for. */
export const currentLocale = cache(async (): Promise<Locale> => {
  const [jar, given] = [await cookies(), await headers()];
  const chosen = (await findCurrentActor())?.locale ?? jar.get(LOCALE_COOKIE)?.value;
  return negotiateLocale(chosen, given.get("accept-language"));
});

/** A page that says that the database can't be reached needs a language, too. */
async function findCurrentActor(): Promise<Actor | null> {
  try {
    return await currentActor();
  } catch {
    return null;
  }
}

/** The path and query that the browser asked for; set by the server in front, never by the client. */
export async function currentPath(): Promise<string> {
  const path = (await headers()).get("x-heed-path") ?? "/";
  return path.startsWith("/") && !path.startsWith("//") ? stripRscParameter(path) : "/";
}

/** The router's own mark on a link that was followed with script. */
function stripRscParameter(path: string): string {
  const [plain = "/", query = ""] = path.split(/\?(.*)/s, 2);
  const parameters = query.split("&").filter((part) => part !== "" && !/^_rsc(=|$)/.test(part));
  return parameters.length > 0 ? `${plain}?${parameters.join("&")}` : plain;
}

/** The call as pages and forms make it. */
export async function createPageCall(): Promise<OperationCall> {
  const given = await headers();
  return {
    requestId: given.get("x-request-id") ?? randomUUID(),
    address: given.get("x-heed-client") ?? "",
    userAgent: given.get("user-agent"),
    device: (await cookies()).get(deviceCookieName())?.value ?? null,
    accepts: () => false,
    ifMatch: null,
    idempotencyKey: null,
    request: null,
    files: [],
    setCookie: () => undefined,
    answerHeaders: {},
  };
}
