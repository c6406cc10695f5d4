import { useTranslator } from "#i18n";
import { TextField } from "#components/ui/field.tsx";

/** Fields of a new account, for registration with and without an invite. */
export function RegistrationFields({ minPassword, maxName }: { minPassword: number; maxName: number }) {
  const t = useTranslator("signIn");
  return (
    <>
      <TextField
        name="name"
        label={t("name")}
        hint={t("nameHint")}
        autoComplete="name"
        maxLength={maxName}
        required
      />
      <TextField name="email" type="email" label={t("email")} autoComplete="username" required />
      <TextField
        name="password"
        type="password"
        label={t("password")}
        hint={t("passwordHint", { min: minPassword })}
        autoComplete="new-password"
        required
      />
    </>
  );
}
