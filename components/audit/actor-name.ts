import { useTranslator } from "#i18n";
import { SERVICE_TOKEN_DISPLAY_NAME_PREFIX } from "#lib/operation/token-scope.ts";

/** Returns a function that names an actor in the reader's language: a service token says that it is one. */
export function useActorNameFormatter(): (name: string, isToken: boolean | null | undefined) => string {
  const t = useTranslator("audit");
  return (name, isToken) =>
    isToken ? t("serviceToken", { name: name.slice(SERVICE_TOKEN_DISPLAY_NAME_PREFIX.length) }) : name;
}
