"use server";

import { currentLocale } from "#lib/api/page.ts";
import { translated } from "#lib/words/problems.ts";

type Answer = { code: string; message: string; details: string };

/** An answer of the API in the reader's language, for scripts that call the API themselves: it speaks English only. */
export async function translatedAnswer({ code, message, details }: Answer): Promise<Answer> {
  const given = { code: String(code), message: String(message), details: String(details) };
  return translated(await currentLocale(), given);
}
