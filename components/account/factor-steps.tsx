"use client";

import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { TextField } from "#components/ui/field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";

type Props = {
  /** Two-factor status before any action. */
  status: ReactNode;
  enabled: boolean;
  /** Where to continue once it is on. */
  next: string;
};

/**
 * The steps of two-factor setup in one form, so that they follow each other without script too: start, scan
 * and confirm, save the recovery codes.
 */
export function SecondFactorSetupSteps({ status, enabled, next }: Props) {
  const t = useTranslator("factor");
  const { ok, values } = useFormContext().state;
  if (ok && values?.recoveryCodes)
    return <RecoveryCodesStep codes={values.recoveryCodes.split("\n")} next={next} />;
  if (values?.secret)
    return <EnrollmentFields secret={values.secret} uri={values.uri ?? ""} qr={values.qr ?? ""} />;
  return (
    <>
      {status}
      {!enabled && (
        <>
          <TextField
            name="currentPassword"
            type="password"
            label={t("password")}
            autoComplete="current-password"
            required
          />
          <FormActions>
            <SubmitButton icon="shield-check" pendingLabel={t("oneMoment")}>
              {t("setUp")}
            </SubmitButton>
          </FormActions>
        </>
      )}
    </>
  );
}

function EnrollmentFields({ secret, uri, qr }: { secret: string; uri: string; qr: string }) {
  const t = useTranslator("factor");
  return (
    <>
      <input type="hidden" name="secret" value={secret} />
      <input type="hidden" name="uri" value={uri} />
      <input type="hidden" name="qr" value={qr} />
      <div className="grid gap-5 sm:grid-cols-[auto_minmax(0,1fr)] sm:gap-6">
        <img src={qr} alt={t("qr")} className="size-48 rounded-control border border-line bg-surface" />
        <div className="grid content-start gap-4">
          <p>{t("scan")}</p>
          <CopyField label={t("secret")} value={secret} />
          <p>
            <a href={uri} className="text-link inline-flex min-h-11 items-center">
              {t("openApp")}
            </a>
          </p>
        </div>
      </div>
      <TextField
        name="code"
        label={t("code")}
        hint={t("codeHint")}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={40}
        spellCheck={false}
        autoFocus
        required
      />
      <FormActions>
        <SubmitButton pendingLabel={t("checking")}>{t("turnOn")}</SubmitButton>
        <a href="/account/security" className={buildButtonClass("quiet")}>
          {t("notNow")}
        </a>
      </FormActions>
    </>
  );
}

/** The step that shows the recovery codes. Its link loads a new page, so that going back doesn't show them again. */
function RecoveryCodesStep({ codes, next }: { codes: readonly string[]; next: string }) {
  const t = useTranslator("factor");
  return (
    <>
      <p>{t("keepText")}</p>
      <RecoveryCodeList codes={codes} />
      <FormActions>
        <a href={next} className={buildButtonClass("primary")}>
          {t("codesSaved")}
        </a>
      </FormActions>
    </>
  );
}
