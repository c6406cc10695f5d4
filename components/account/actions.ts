"use server";

import { redirect } from "next/navigation";
import { logOut } from "#lib/accounts/operations.ts";
import { submit } from "#lib/http/form.ts";
import { sameSitePath, withNext } from "#lib/http/next-path.ts";

/** Ends the session and asks for another one, for the page that this account may not see. */
export async function switchAccountAction(form: FormData): Promise<void> {
  await submit(logOut, {}, form);
  redirect(withNext("/login", sameSitePath(form.get("next"))));
}
