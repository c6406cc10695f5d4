import type { FormState } from "#lib/design/form-state.ts";

type Problem = { code: string; message: string; details: string };

/** What the form for more files says when it was refused, with script and without. */
export function refusedFiles({ code, message, details }: Problem, values: Record<string, string>): FormState {
  if (code === "UNAUTHENTICATED") return { ok: false, error: SIGNED_OUT, values };
  if (ABOUT_FILES.has(code)) return { ok: false, fieldErrors: { relatedFiles: details }, values };
  if (code !== "VALIDATION_ERROR")
    return { ok: false, error: details === message ? message : `${message} ${details}`, values };
  const about = /^description: (.*)$/s.exec(details)?.[1];
  return about
    ? { ok: false, fieldErrors: { description: `The line ${about}.` }, values }
    : { ok: false, fieldErrors: { relatedFiles: "Choose a file first." }, values };
}

const SIGNED_OUT =
  "Not added: you are signed out. Sign in in another tab, come back to this one and add them again.";

const ABOUT_FILES = new Set(["PAYLOAD_TOO_LARGE", "UNSUPPORTED_FILE_TYPE", "QUOTA_EXCEEDED"]);
