import { loadQuickExitTarget } from "#components/event/event-data.ts";
import { QUICK_EXIT_COOKIE } from "#lib/design/quick-exit-cookie.ts";
import { env } from "#lib/env.ts";
import { logOut } from "#lib/accounts/operations.ts";
import { handleOperationHttpCall, createErrorResponse } from "#lib/http/endpoint.ts";
import { createCrossSiteError, isCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { isOwnOrigin } from "#lib/http/origin.ts";
import { formatSetCookieHeader } from "#lib/http/identify.ts";
import { createQuickExitCookies } from "#lib/http/quick-exit.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { DEFAULT_QUICK_EXIT_URL } from "#lib/events/report-settings.ts";

/**
 * Quick exit as a link, for browsers without script: signs out on this device and redirects to the event's exit URL.
 * Anybody can have an event with an exit URL of their choice, so a link of another site doesn't lead to it. Only the
 * link on our own pages signs out: none of another site, of a mail or of another program, and no image on our pages
 * with this URL.
 */
export async function GET(request: Request): Promise<Response> {
  const slug = isOwnLink(request) ? new URL(request.url).searchParams.get("event") : null;
  const cookies = isUserNavigation(request) && isFromOwnPage(request) ? await signOutForExit(request) : [];
  const { to } = await loadQuickExitTarget(slug).catch(() => ({ to: DEFAULT_QUICK_EXIT_URL }));
  return createSeeOtherResponse(to, cookies);
}

/**
 * Signs out for the scripted quick exit, while the page is already leaving. The page has set the cookie of the quick
 * exit; this response may be late, when the person has come back and opened something. Refuses cross-site requests
 * (contract 3.12).
 */
export async function POST(request: Request): Promise<Response> {
  if (isCrossSiteRequest("POST", request.headers))
    return createErrorResponse(createCrossSiteError(), { requestId: request.headers.get("x-request-id") });
  const response = new Response(null, { status: 204 });
  for (const cookie of await signOutForExit(request))
    if (cookie.name !== QUICK_EXIT_COOKIE)
      response.headers.append("Set-Cookie", formatSetCookieHeader(cookie));
  return response;
}

/**
 * Never throws, so that the exit always works.
 * @returns the cookies to set, which clear the session, the device cookie and whatever is open
 */
async function signOutForExit(request: Request): Promise<Cookie[]> {
  if (isCrossSiteRequest("POST", request.headers)) return [];
  await handleOperationHttpCall(logOut, request, { params: Promise.resolve({}), cookies: [] }).catch(
    () => undefined,
  );
  return createQuickExitCookies();
}

/**
 * Returns whether the link was on one of our pages. Browsers from before 2023 don't say so in Sec-Fetch-Site; they send
 * the page's address, for this link alone (`referrerPolicy`).
 */
function isFromOwnPage({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const referer = headers.get("referer") ?? "";
  return URL.canParse(referer) && isOwnOrigin(new URL(referer).origin, headers.get("host"), env());
}

/**
 * Returns whether the link may have been on one of our pages. A bookmark counts as one of them, and so does a browser
 * that doesn't send the header.
 */
const isOwnLink = ({ headers }: Request): boolean =>
  !/^(cross|same)-site$/.test(headers.get("sec-fetch-site") ?? "");

type Cookie = Parameters<typeof formatSetCookieHeader>[0];

/**
 * Browsers prefetch links, and load images (an event's logo) from URLs that people entered; neither may sign anybody
 * out.
 */
const isUserNavigation = ({ headers }: Request): boolean =>
  (headers.get("sec-fetch-dest") ?? "document") === "document" &&
  !/prefetch|prerender/.test(`${headers.get("sec-purpose")} ${headers.get("purpose")}`);
