import { cookies, headers } from "next/headers";
import { changeProfile } from "#lib/own-account/operations.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { isCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { parseSameSitePath } from "#lib/http/next-path.ts";
import { getCurrentActor } from "#lib/http/page.ts";
import { readFormIfWithinLimit } from "#lib/http/small-form.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { env } from "#lib/env.ts";
import { isLocale, LOCALE_COOKIE } from "#lib/i18n/locales.ts";

const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;

const MAX_LANGUAGE_FORM_BYTES = 8192;

/** Saves the chosen language on this device and, for a signed-in person, in the account. */
export async function POST(request: Request): Promise<Response> {
  const form = await readFormIfWithinLimit(request, MAX_LANGUAGE_FORM_BYTES);
  if (!form) return createSeeOtherResponse("/");
  const response = createSeeOtherResponse(parseSameSitePath(form.get("next")) ?? "/");
  const locale = form.get("locale");
  if (!isLocale(locale) || isCrossSiteRequest("POST", await headers())) return response;
  (await cookies()).set(LOCALE_COOKIE, locale, {
    httpOnly: true,
    sameSite: "lax",
    secure: env().baseUrl.startsWith("https:"),
    path: "/",
    maxAge: ONE_YEAR_SECONDS,
  });
  if (await getCurrentActor()) await submitFormToOperation(changeProfile, {}, form, () => ({ locale }));
  return response;
}

/** Redirects a person who reloads the form's URL to the home page. */
export async function GET(): Promise<Response> {
  return createSeeOtherResponse("/");
}
