"use server";

import { currentLocale } from "#lib/http/page.ts";
import { translateProblem } from "#lib/i18n/problems.ts";

type ApiErrorText = { code: string; message: string; details: string };

/** Translates an API error, which is always English, for scripts that call the API themselves. */
export async function translateApiError({ code, message, details }: ApiErrorText): Promise<ApiErrorText> {
  const apiError = { code: String(code), message: String(message), details: String(details) };
  return translateProblem(await currentLocale(), apiError);
}
