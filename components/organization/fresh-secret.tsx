"use client";

import { useTranslator } from "#words";
import { CopyField } from "#components/ui/copy-field.tsx";
import { useForm } from "#components/ui/form-context.ts";

/** The secret of a webhook that was just made or renewed, the one time that it is shown. Says `secret`. */
export function NewSecretField() {
  const t = useTranslator("secret");
  const { ok, values } = useForm().state;
  if (!ok || !values?.secret) return null;
  return <CopyField label={t("label")} value={values.secret} />;
}
