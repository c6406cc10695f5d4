"use client";

import { useTranslator } from "#i18n";
import { CopyField } from "#components/ui/copy-field.tsx";
import { useFormContext } from "#components/ui/form-context.ts";

/** Shows a new or renewed webhook secret, the only time it is ever shown. Needs the `secret` messages. */
export function NewWebhookSecretDisplay() {
  const t = useTranslator("secret");
  const { ok, values } = useFormContext().state;
  if (!ok || !values?.secret) return null;
  return <CopyField key={values.secret} label={t("label")} value={values.secret} autoFocus />;
}
