import { cookies } from "next/headers";
import { logOut } from "#lib/accounts/operations.ts";
import { createSignOutCookies } from "#lib/accounts/sessions.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { createCookieSetter } from "#lib/http/page-cookies.ts";

/**
 * Signs this device out. Its cookies are removed even if the session can't be ended now, since the page that follows
 * says that the device is signed out; only a form of another site removes nothing.
 */
export async function submitSignOutForm(form: FormData): Promise<void> {
  const sent = await submitFormToOperation(logOut, {}, form);
  if (sent.ok || sent.code === "CSRF_REJECTED") return;
  const setCookie = createCookieSetter(await cookies());
  for (const cookie of createSignOutCookies()) setCookie(cookie);
}
