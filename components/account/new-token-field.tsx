"use client";

import { useTranslator } from "#i18n";
import { CopyField } from "#components/ui/copy-field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";

/** Shows a new token, the only time it is ever shown. */
export function NewTokenCopyField() {
  const t = useTranslator("factor");
  const { ok, values } = useFormContext().state;
  if (!ok || !values?.token) return null;
  return <CopyField key={values.token} label={t("token")} value={values.token} autoFocus />;
}
