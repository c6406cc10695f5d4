"use server";

import { redirect } from "next/navigation";
import { logOut } from "#lib/accounts/operations.ts";
import { submitFormToOperation } from "#lib/http/form.ts";
import { parseNextPath, addNextParameter } from "#lib/http/next-path.ts";

/** Ends the session and asks to sign in with another account, for a page that this account may not see. */
export async function switchAccountAction(form: FormData): Promise<void> {
  await submitFormToOperation(logOut, {}, form);
  redirect(addNextParameter("/login", parseNextPath(form.get("next"))));
}
