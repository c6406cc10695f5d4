"use client";

import { Fragment } from "react";
import { useTranslator } from "#i18n";
import { TextField } from "#components/ui/field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";

/**
 * Email and password and, once the service has accepted them for an account with two-factor sign-in, its code. The keys
 * separate the two steps: a reused field would show the other field's text.
 */
export function SignInFields() {
  const t = useTranslator("signInForm");
  // The field's name doesn't contain "password": a form that is shown again loses the values of fields whose names do.
  const sealedPassword = useFormContext().state.values?.sealedCredential;
  if (!sealedPassword) {
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
      <input type="hidden" name="sealedCredential" value={sealedPassword} />
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
