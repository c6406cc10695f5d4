"use server";

import { redirect } from "next/navigation";
import { parseNextPath, addNextParameter } from "#lib/http/next-path.ts";
import { submitSignOutForm } from "#lib/http/sign-out-form.ts";

/** Ends the session and asks to sign in with another account, for a page that this account may not see. */
export async function switchAccountAction(form: FormData): Promise<void> {
  await submitSignOutForm(form);
  redirect(addNextParameter("/login", parseNextPath(form.get("next"))));
}
