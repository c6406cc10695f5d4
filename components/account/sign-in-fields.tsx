"use client";

import { Fragment } from "react";
import { useWords } from "#words";
import { TextField } from "#components/ui/field.tsx";
import { useForm } from "#components/ui/form-context.ts";

/**
 * Address and password; and, once they were right for an account with a second factor, its code. Keys tell the two
 * steps apart: a field that stayed would show what was typed into another one.
 */
export function SignInFields() {
  const t = useWords("signInForm");
  const kept = useForm().state.values?.kept;
  if (!kept) {
    return (
      <Fragment key="password">
        <TextField name="email" type="email" label={t("email")} autoComplete="username" required />
        <TextField
          name="password"
          type="password"
          label={t("password")}
          autoComplete="current-password"
          required
        />
      </Fragment>
    );
  }
  return (
    <Fragment key="code">
      <input type="hidden" name="kept" value={kept} />
      <TextField name="email" type="email" label={t("email")} autoComplete="username" readOnly required />
      <TextField
        name="code"
        label={t("code")}
        hint={t("codeHint")}
        autoComplete="one-time-code"
        spellCheck={false}
        autoFocus
        required
      />
    </Fragment>
  );
}
