import { useTranslator } from "#i18n";
import { UNOPENED_TITLE } from "#lib/operation/unopened-title.ts";

/** Returns a function that says in the reader's language what stands in place of a withheld title. */
export function useShownTitle(): (title: string) => string {
  const t = useTranslator("incident");
  return (title) => (title === UNOPENED_TITLE ? t("unopened") : title);
}
