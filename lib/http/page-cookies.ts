import type { cookies } from "next/headers";
import type { OperationCall } from "#lib/operation/operation.ts";
import { createCookiesEndingQuickExit, hasUsedQuickExit } from "#lib/http/quick-exit.ts";

type CookieJar = Awaited<ReturnType<typeof cookies>>;

/** Creates what sets cookies of a page's response; one that signs in or opens something ends a quick exit. */
export const createCookieSetter =
  (jar: CookieJar): OperationCall["setCookie"] =>
  (cookie) => {
    const ending = cookie.maxAge > 0 && hasUsedQuickExit((name) => jar.get(name)?.value);
    for (const one of [...(ending ? createCookiesEndingQuickExit() : []), cookie])
      jar.set(one.name, one.value, {
        httpOnly: true,
        sameSite: "lax",
        path: "/",
        secure: one.secure,
        maxAge: one.maxAge,
      });
  };
