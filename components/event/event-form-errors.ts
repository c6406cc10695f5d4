import { EVENT_DETAIL_FIELD_NAMES } from "#components/event/event-fields.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { labelFieldErrors } from "#lib/design/named-errors.ts";

/** Labels the errors of a refused form about an event, whether it is a new one or its settings. */
export async function labelEventFormErrors(state: FormState): Promise<FormState> {
  const t = await getTranslator("organization");
  const details = EVENT_DETAIL_FIELD_NAMES.map((name) => [name, t(`field.${name}`)] as const);
  const slug = t("field.slug");
  return labelFieldErrors(state, {
    ...Object.fromEntries(details),
    name: t("field.name"),
    slug,
    newSlug: slug,
  });
}
