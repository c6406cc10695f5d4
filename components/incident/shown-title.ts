import { useTranslator } from "#i18n";
import { UNOPENED_INCIDENT_TITLE } from "#lib/access/unopened-title.ts";

/**
 * Returns a function that translates a title as the API returns it: a withheld title becomes a text in the reader's
 * language.
 */
export function useIncidentTitleFormatter(): (title: string) => string {
  const t = useTranslator("incident");
  return (title) => (title === UNOPENED_INCIDENT_TITLE ? t("unopened") : title);
}
