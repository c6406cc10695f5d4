import type { Words } from "#components/words/words.ts";
import type { FormState } from "#lib/design/form-state.ts";

type Problem = { code: string; message: string; details: string };
type Sent = { values: Record<string, string>; t: Words<"caseClient"> };

/** What the form for more files says when it was refused, with script and without. */
export function refusedFiles({ code, message, details }: Problem, { values, t }: Sent): FormState {
  if (code === "UNAUTHENTICATED") return { ok: false, error: t("filesSignedOut"), values, signedOut: true };
  if (ABOUT_FILES.has(code)) return { ok: false, fieldErrors: { relatedFiles: details }, values };
  if (code !== "VALIDATION_ERROR")
    return { ok: false, error: details === message ? message : `${message} ${details}`, values };
  const about = /^description: (.*)$/s.exec(details)?.[1];
  return about
    ? { ok: false, fieldErrors: { description: t("lineProblem", { problem: about }) }, values }
    : { ok: false, fieldErrors: { relatedFiles: t("chooseFile") }, values };
}

const ABOUT_FILES = new Set(["PAYLOAD_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "QUOTA_EXCEEDED"]);
