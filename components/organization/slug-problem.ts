import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";

/**
 * Replaces the error "is missing" of a blank short name in a form that derives the short name from the name. The field
 * is optional, so the error says instead that no short name could be derived. Removes the error if the name is blank,
 * too.
 */
export async function replaceMissingSlugError(state: FormState, slug: string): Promise<FormState> {
  const { slug: problem, ...fieldErrors } = state.fieldErrors ?? {};
  if (problem === undefined || slug !== "") return state;
  if (!state.values?.name?.trim()) return { ...state, fieldErrors };
  const t = await getTranslator("nameAndSlug");
  return { ...state, fieldErrors: { ...fieldErrors, slug: t("slug.notDerived") } };
}
