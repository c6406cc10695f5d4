import { loadQuickExit } from "#components/event/this-event.ts";
import { expiredDeviceCookie } from "#lib/rate-limits/device-cookie.ts";
import { logOut } from "#lib/accounts/operations.ts";
import { callOperation, errorResponse } from "#lib/http/endpoint.ts";
import { crossSiteError, isCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { setCookieHeader } from "#lib/http/identify.ts";
import { seeOther } from "#lib/http/upload-form.ts";
import { DEFAULT_EXIT_URL } from "#lib/events/report-settings.ts";

/**
 * Quick exit as a link, for a browser without script: signs out on this device and leads to the address that the event
 * chose. It reads the address from the event, so that nobody can make a link that leads elsewhere. Another site can
 * lead here, but signs nobody out; nor does a page of ours that names this as the address of a picture.
 */
export async function GET(request: Request): Promise<Response> {
  const slug = new URL(request.url).searchParams.get("event");
  const cookies = isUserNavigation(request) ? await signOut(request) : [];
  const { to } = await loadQuickExit(slug).catch(() => ({ to: DEFAULT_EXIT_URL }));
  return seeOther(to, cookies);
}

/** The same with script, while the page is already on its way elsewhere. Of another site it is refused (contract 3.12). */
export async function POST(request: Request): Promise<Response> {
  if (isCrossSiteRequest("POST", request.headers))
    return errorResponse(crossSiteError(), { requestId: request.headers.get("x-request-id") });
  const response = new Response(null, { status: 204 });
  for (const cookie of await signOut(request)) response.headers.append("Set-Cookie", setCookieHeader(cookie));
  return response;
}

/** Whatever fails: the way out stays open. @returns the cookies to set, which remove the session's and the device's */
async function signOut(request: Request): Promise<Cookie[]> {
  const cookies: Cookie[] = [];
  if (isCrossSiteRequest("POST", request.headers)) return cookies;
  await callOperation(logOut, request, { params: Promise.resolve({}), cookies }).catch(() => undefined);
  return [...cookies, expiredDeviceCookie()];
}

type Cookie = Parameters<typeof setCookieHeader>[0];

/** A browser may fetch links before they are pressed, and pictures (an event's logo) by addresses that people gave. */
const isUserNavigation = ({ headers }: Request): boolean =>
  (headers.get("sec-fetch-dest") ?? "document") === "document" &&
  !/prefetch|prerender/.test(`${headers.get("sec-purpose")} ${headers.get("purpose")}`);
