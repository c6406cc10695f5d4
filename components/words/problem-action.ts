"use server";

import { currentLocale } from "#lib/http/page.ts";
import { translated } from "#lib/i18n/problems.ts";

type Answer = { code: string; message: string; details: string };

/** An answer of the API in the reader's language, for scripts that call the API themselves: it speaks English only. */
export async function translatedAnswer({ code, message, details }: Answer): Promise<Answer> {
  const given = { code: String(code), message: String(message), details: String(details) };
  return translated(await currentLocale(), given);
}
