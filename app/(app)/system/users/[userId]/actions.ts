"use server";

import { refresh } from "next/cache";
import { pageWords } from "#components/words/page-words.ts";
import { changeAccount, resetFactorOfAccount } from "#lib/admin/operations.ts";
import { submit, valuesOf } from "#lib/http/form.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { nameErrors } from "#lib/design/named-errors.ts";

/** Gives or takes the system role, disables or enables: whichever of the two the form names. */
export async function changeAccountAction(_: FormState, form: FormData): Promise<FormState> {
  const { userId = "" } = valuesOf(form);
  const sent = await submit(changeAccount, { userId }, form, ({ systemAdmin, disabled }) => ({
    systemAdmin: yesOrNo(systemAdmin),
    disabled: yesOrNo(disabled),
  }));
  if (!sent.ok) return sent.state;
  refresh();
  return { ok: true, message: (await pageWords("system"))("changed") };
}

export async function resetFactorAction(_: FormState, form: FormData): Promise<FormState> {
  const { userId = "" } = valuesOf(form);
  const sent = await submit(resetFactorOfAccount, { userId }, form, ({ password, code }) => ({
    password,
    code,
  }));
  const t = await pageWords("account");
  if (!sent.ok) return nameErrors(sent.state, { password: t("yourPassword"), code: t("code") });
  refresh();
  return { ok: true, message: (await pageWords("system"))("factorReset") };
}

const yesOrNo = (text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : text === "true";
