import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";

/**
 * Explains a missing short name, where a form that allows a blank one found none in the name. The field is optional, so
 * the error "is missing" would contradict it. Without a name, it removes the error about the short name.
 */
export async function replaceMissingSlugError(state: FormState, slug: string): Promise<FormState> {
  const { slug: problem, ...fieldErrors } = state.fieldErrors ?? {};
  if (problem === undefined || slug !== "") return state;
  if (!state.values?.name?.trim()) return { ...state, fieldErrors };
  const t = await getTranslator("nameAndSlug");
  return { ...state, fieldErrors: { ...fieldErrors, slug: t("slug.notDerived") } };
}
