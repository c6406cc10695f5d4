import type { Translator } from "#components/i18n/translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import { formatFieldProblem } from "#lib/i18n/error-text.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { describeProblem } from "#lib/i18n/problems.ts";
import { InvalidInputError, type AppError } from "#lib/operation/errors.ts";

type SubmittedForm = { values: Record<string, string>; t: Translator<"incidentClient">; locale: Locale };

/** Builds the state that the form for more files shows after a refusal, with script and without. */
export function buildRefusedFilesFormState(error: AppError, { values, t, locale }: SubmittedForm): FormState {
  if (error.code === "UNAUTHENTICATED")
    return { ok: false, error: t("filesSignedOut"), values, signedOut: true };
  if (error instanceof InvalidInputError) {
    const { description } = error.fields;
    const fieldErrors: Record<string, string> = description
      ? { description: t("lineProblem", { problem: formatFieldProblem(locale, description) }) }
      : { relatedFiles: t("chooseFile") };
    return { ok: false, fieldErrors, values };
  }
  const { title, advice } = describeProblem(locale, error);
  if (FILE_ERROR_CODES.has(error.code))
    return { ok: false, fieldErrors: { relatedFiles: advice || title }, values };
  return { ok: false, error: `${title} ${advice}`.trim(), values };
}

const FILE_ERROR_CODES = new Set(["PAYLOAD_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "QUOTA_EXCEEDED"]);
