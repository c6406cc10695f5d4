"use client";

import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";

/** Asks for the password, then shows the new recovery codes once. */
export function RecoveryCodesRenewalSteps() {
  const t = useTranslator("factor");
  const { ok, values } = useFormContext().state;
  const codes = ok ? values?.recoveryCodes : undefined;
  if (codes) {
    return (
      <>
        <RecoveryCodeList codes={codes.split("\n")} />
        <FormActions>
          <a href="/account/security" className={buildButtonClass("primary")}>
            {t("codesSaved")}
          </a>
        </FormActions>
      </>
    );
  }
  return (
    <>
      <TextField
        name="currentPassword"
        type="password"
        label={t("password")}
        autoComplete="current-password"
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("oneMoment")}>{t("makeNew")}</SubmitButton>
      </FormActions>
    </>
  );
}
