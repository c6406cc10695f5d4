import { randomUUID } from "node:crypto";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { deviceCookieName } from "#lib/rate-limits/device-cookie.ts";
import { cookieName } from "#lib/accounts/sessions.ts";
import { countCall } from "#lib/rate-limits/rate-limits.ts";
import {
  describeError,
  forbidden,
  InvalidInput,
  notFound,
  unauthenticated,
  type ErrorCode,
} from "#lib/operation/errors.ts";
import { nameAsker, noteDenial, type Requested } from "#lib/operation/denials.ts";
import { identify } from "#lib/http/identify.ts";
import { lostWords } from "#lib/http/page-status.ts";
import { performOperation } from "#lib/http/perform.ts";
import type { Call, Operation, Params } from "#lib/operation/operation.ts";
import { LEFT_COOKIE } from "#lib/design/left-cookie.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { LOCALE_COOKIE, localeFor, type Locale } from "#lib/i18n/locales.ts";

/** The page door: a page shows the answer of an operation, through the same checks as the API. */

type Search = Record<string, string | string[] | undefined>;

/** Who looks at this page; null for a visitor. One query a request, however often it is asked. */
export const viewer = cache(async (): Promise<Actor | null> => {
  const [jar, given] = [await cookies(), await headers()];
  if (jar.has(LEFT_COOKIE)) return null;
  const credentials = { cookie: jar.get(cookieName())?.value, authorization: given.get("authorization") };
  return (await identify(credentials)).actor;
});

/**
 * What the address of this page asks for and nobody knows, by the name of the filter: the page is shown without it, and
 * its door says so.
 */
export const leftOut = cache((): Map<string, string> => new Map());

/**
 * The answer of a GET operation for a page. Without a session: to sign-in and back. Filters in the address that make
 * no sense are left out (`leftOut`), but not the words of a search: without them everything would seem to match.
 * @throws AppError of which the page's door (components/shell/page.tsx) makes a page that says so
 */
export const show = <Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: Params = {},
  search: Search = {},
): Promise<Result> => shown(operation, { params, query: given(search) }, attempt);

/** Like `show`, where something is done to all that comes back: a filter that makes no sense is refused. */
export const showExactly = <Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: Params,
  search: Search,
): Promise<Result> => shown(operation, { params, query: given(search) }, perform);

/**
 * The call of a page that is displayed. It accepts no invitation: the report form lists the team by the reporter's role,
 * and an acceptance on record would tell who sends the anonymous report a moment later.
 */
const readingCall = async (): Promise<Call> => ({ ...(await pageCall()), byPage: true });

const given = (search: Search): Asked["query"] =>
  Object.fromEntries(
    Object.entries(search).flatMap(([k, v]) => (v === undefined || v === "" ? [] : [[k, v]])),
  );

async function shown<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  asked: Asked,
  ask: typeof perform,
): Promise<Result> {
  const actor = await viewer();
  const call = await readingCall();
  try {
    await countCall(operation.limit, { userId: actor?.id ?? null, address: call.address });
    return (await ask(operation, { actor, call }, asked)) as Result;
  } catch (error) {
    return await leave(error, requestedBy(operation, { actor, call }));
  }
}

/** Like `show`, for a part of a page that the page can do without: null where it is absent or not allowed. */
export async function showIfThere<Result>(
  operation: Operation<never, Result> | Operation<unknown, Result>,
  params: Params = {},
): Promise<Result | null> {
  const who = { actor: await viewer(), call: await readingCall() };
  try {
    await countCall(operation.limit, { userId: who.actor?.id ?? null, address: who.call.address });
    return (await attempt(operation, who, { params, query: {} })) as Result;
  } catch (error) {
    const { code } = describeError(error, who.call.requestId);
    return code === "NOT_FOUND" || FORBIDS.has(code) ? null : await leave(error, requestedBy(operation, who));
  }
}

/** A name that stands twice in the address has both values, which no filter takes. */
type Asked = { params: Params; query: Record<string, string | string[]> };

type Asking = { actor: Actor | null; call: Call };

const perform = (
  operation: Operation<never, unknown> | Operation,
  who: Asking,
  { params, query }: Asked,
): Promise<unknown> => performOperation(operation, who, { params, readInput: async () => query });

/** What can't be used is left out, and the rest is asked for. */
async function attempt(
  operation: Operation<never, unknown> | Operation,
  who: Asking,
  asked: Asked,
): Promise<unknown> {
  try {
    return await perform(operation, who, asked);
  } catch (error) {
    if (!(error instanceof InvalidInput) || "search" in error.fields) throw error;
    const { known = [], unknown = [] } = Object.groupBy(Object.entries(asked.query), ([name]) =>
      name in error.fields ? "unknown" : "known",
    );
    const answer = await perform(operation, who, { ...asked, query: Object.fromEntries(known) });
    for (const [name, value] of unknown) leftOut().set(name, String(value));
    return answer;
  }
}

/** Sends a visitor to sign in, and back here afterwards. */
export async function mustBeSignedIn(): Promise<Actor> {
  return (await viewer()) ?? (await toSignIn());
}

/** @throws AppError UNAUTHENTICATED where a form has just arrived whose words would be lost on the way */
async function toSignIn(): Promise<never> {
  if (lostWords((await pageCall()).requestId)) throw unauthenticated();
  redirect(`/login?next=${encodeURIComponent(await currentPath())}`);
}

/** For a page that finds by itself that there is nothing. @throws AppError NOT_FOUND */
export function absent(): never {
  throw notFound();
}

/** For a page that finds by itself that it isn't for this person. @throws AppError FORBIDDEN */
export function refuse(): never {
  throw forbidden();
}

async function leave(error: unknown, asked: Requested): Promise<never> {
  const described = describeError(error, asked.requestId);
  noteDenial(described, asked);
  if (described.code === "UNAUTHENTICATED") await toSignIn();
  throw described;
}

function requestedBy(
  operation: Operation<never, unknown> | Operation,
  { actor, call }: { actor: Actor | null; call: Call },
): Requested {
  const requested: Requested = { operation: operation.name, requestId: call.requestId };
  nameAsker(requested, operation, actor);
  return requested;
}

const FORBIDS = new Set<ErrorCode>([
  "FORBIDDEN",
  "SECOND_FACTOR_REQUIRED",
  "EMAIL_UNVERIFIED",
  "TOKEN_SCOPE",
]);

/** The language of this page: what the person chose, in their account or on this device, else what the browser asks for. */
export const currentLocale = cache(async (): Promise<Locale> => {
  const [jar, given] = [await cookies(), await headers()];
  const chosen = (await viewerIfKnown())?.locale ?? jar.get(LOCALE_COOKIE)?.value;
  return localeFor(chosen, given.get("accept-language"));
});

/** A page that says that the database can't be reached needs a language, too. */
async function viewerIfKnown(): Promise<Actor | null> {
  try {
    return await viewer();
  } catch {
    return null;
  }
}

/** The path and query that the browser asked for; set by the server in front, never by the client. */
export async function currentPath(): Promise<string> {
  const path = (await headers()).get("x-heed-path") ?? "/";
  return path.startsWith("/") && !path.startsWith("//") ? withoutMark(path) : "/";
}

/** The router's own mark on a link that was followed with script. */
function withoutMark(path: string): string {
  const [plain = "/", query = ""] = path.split(/\?(.*)/s, 2);
  const kept = query.split("&").filter((part) => part !== "" && !/^_rsc(=|$)/.test(part));
  return kept.length > 0 ? `${plain}?${kept.join("&")}` : plain;
}

/** The call as pages and forms make it. */
export async function pageCall(): Promise<Call> {
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
