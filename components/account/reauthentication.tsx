import { useTranslator } from "#i18n";
import { TextField } from "#components/ui/field.tsx";

/**
 * The current user's password, before a step that somebody at an unlocked screen must not take.
 * @param withCode whether a code of two-factor sign-in is needed, too
 */
export function ReauthenticationFields({ withCode }: { withCode: boolean }) {
  const t = useTranslator("account");
  return (
    <>
      <TextField
        name="currentPassword"
        type="password"
        label={t("yourPassword")}
        autoComplete="current-password"
        required
      />
      {withCode && (
        <TextField
          name="code"
          label={t("code")}
          hint={t("codeHint")}
          autoComplete="one-time-code"
          maxLength={40}
          spellCheck={false}
          required
        />
      )}
    </>
  );
}
