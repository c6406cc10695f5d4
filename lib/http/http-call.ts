import { randomUUID } from "node:crypto";
import type { CookieToSet } from "#lib/accounts/sessions.ts";
import { CROSS_ORIGIN_TOKEN_CALL_HEADER } from "#lib/http/headers.ts";
import { readCookie } from "#lib/http/identify.ts";
import { createCookiesEndingQuickExit, hasUsedQuickExit, readMailboxCookie } from "#lib/http/quick-exit.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import type { ApiRequest } from "#lib/operation/request.ts";
import { getDeviceCookieName } from "#lib/rate-limits/device-cookie.ts";

type ResponseParts = {
  /** Filled with the cookies that the response must set. */
  cookies: CookieToSet[];
  /** Filled with the headers that the operation sets. */
  responseHeaders?: Record<string, string>;
};

/** Creates the call context of an HTTP request. */
export function buildHttpCall(
  request: ApiRequest,
  { cookies, responseHeaders = {} }: ResponseParts,
): OperationCall {
  const acceptHeader = request.headers.get("accept") ?? "";
  const findCookie = (name: string) => readCookie(request.headers.get("cookie"), name);
  return {
    requestId: request.headers.get("x-request-id") ?? randomUUID(),
    address: request.headers.get("x-heed-client") ?? "",
    userAgent: request.headers.get("user-agent"),
    device: findCookie(getDeviceCookieName()) ?? null,
    ...readMailboxCookie(findCookie),
    accepts: (type) =>
      acceptHeader
        .toLowerCase()
        .split(",")
        .some((part) => part.split(";")[0]?.trim() === type && !/;\s*q=0(\.0*)?\s*$/.test(part)),
    ...(request.headers.has(CROSS_ORIGIN_TOKEN_CALL_HEADER) && { fromOtherOrigin: true }),
    ifMatch: request.headers.get("if-match"),
    idempotencyKey: request.headers.get("idempotency-key"),
    request,
    files: [],
    setCookie: createCookieCollector(cookies, hasUsedQuickExit(findCookie)),
    responseHeaders,
  };
}

/** Collects cookies for the response, one of each name; one that signs in or opens something ends a quick exit. */
function createCookieCollector(
  cookies: CookieToSet[],
  isAfterQuickExit: boolean,
): OperationCall["setCookie"] {
  let endsQuickExit = isAfterQuickExit;
  return (cookie) => {
    const ending = endsQuickExit && cookie.maxAge > 0 ? createCookiesEndingQuickExit() : [];
    if (ending.length > 0) endsQuickExit = false;
    const byName = new Map([...cookies, ...ending, cookie].map((one) => [one.name, one]));
    cookies.splice(0, cookies.length, ...byName.values());
  };
}
