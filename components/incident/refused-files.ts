import type { Translator } from "#components/words/words.ts";
import type { FormState } from "#lib/design/form-state.ts";

type Problem = { code: string; message: string; details: string };
type SubmittedForm = { values: Record<string, string>; t: Translator<"caseClient"> };

/** Builds the state that the form for more files shows after a refusal, with script and without. */
export function buildRefusedFilesState(
  { code, message, details }: Problem,
  { values, t }: SubmittedForm,
): FormState {
  if (code === "UNAUTHENTICATED") return { ok: false, error: t("filesSignedOut"), values, signedOut: true };
  if (FILE_ERROR_CODES.has(code)) return { ok: false, fieldErrors: { relatedFiles: details }, values };
  if (code !== "VALIDATION_ERROR")
    return { ok: false, error: details === message ? message : `${message} ${details}`, values };
  const isAboutFiles = /^description: (.*)$/s.exec(details)?.[1];
  return isAboutFiles
    ? { ok: false, fieldErrors: { description: t("lineProblem", { problem: isAboutFiles }) }, values }
    : { ok: false, fieldErrors: { relatedFiles: t("chooseFile") }, values };
}

const FILE_ERROR_CODES = new Set(["PAYLOAD_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "QUOTA_EXCEEDED"]);
