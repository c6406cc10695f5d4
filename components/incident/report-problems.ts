import type { FormState } from "#lib/design/form-state.ts";

/**
 * What the report form says when a report was refused: the same words whether the browser's script sent it or
 * the browser itself. Knows no schema, so that the browser can have it, too.
 */

/** An error as the API answers it (interface 7), or as it was thrown. */
export type Problem = { code: string; error: string; details: string };

/** The state that the form shows. `values` are what was typed; files can't be put back. */
export function reportState({ code, error, details }: Problem, values: Record<string, string>): FormState {
  if (code === "VALIDATION_ERROR") {
    const fieldErrors = fieldsIn(details, values);
    return {
      ok: false,
      error: Object.keys(fieldErrors).length > 0 ? "Not sent yet: please look at this again." : details,
      fieldErrors,
      values,
    };
  }
  if (ABOUT_FILES.has(code))
    return {
      ok: false,
      error: "Not sent yet: a file can't be taken.",
      fieldErrors: { relatedFiles: details },
      values,
    };
  return { ok: false, error: WHOLE[code] ?? `${error} ${details === error ? "" : details}`.trim(), values };
}

const ABOUT_FILES = new Set(["PAYLOAD_TOO_LARGE", "UNSUPPORTED_FILE_TYPE"]);

const NOT_NOW =
  "Not sent: the service can't take it just now, and nothing was kept of it there. What you wrote is still here. Wait a moment and send it again.";

const WHOLE: Record<string, string> = {
  UNAUTHENTICATED:
    "Not sent: you are signed out. What you wrote is still here. Sign in in another tab, come back to this one and send it again.",
  FORBIDDEN:
    "Not sent: your account is not a member of this event any more, or is signed in elsewhere as somebody else.",
  INTERNAL_ERROR: NOT_NOW,
  SERVICE_UNAVAILABLE: NOT_NOW,
  STORAGE_UNAVAILABLE:
    "Not sent: the service can't keep files just now. What you wrote is still here. You can send it without files.",
};

/** `details` names each field and what is wrong with it: "title: must be …; description: is missing". */
function fieldsIn(details: string, values: Record<string, string>): Record<string, string> {
  const found = details
    .split(/; (?=[a-zA-Z]+(?:\[\])?: )/)
    .map((part) => /^([a-zA-Z]+)(?:\[\])?: (.*)$/s.exec(part));
  const pairs = found.flatMap((match) =>
    match?.[1] && match[2] && FIELDS[match[1]] ? [[match[1], match[2]] as const] : [],
  );
  // A blank subject is taken from the words: where those are missing, too, one thing is wrong and not two.
  const wordless = !values.description?.trim() && !values.title?.trim();
  const shown = pairs.filter(([name]) => !(wordless && name === "title"));
  return Object.fromEntries(shown.map(([name, problem]) => [name, sentence(name, problem, values)]));
}

function sentence(name: string, problem: string, values: Record<string, string>): string {
  if (name === "description" && !values.description?.trim()) return "Say what happened, in your own words.";
  return `${FIELDS[name]} ${problem}.`;
}

const FIELDS: Record<string, string> = {
  description: "What happened",
  title: "The subject",
  type: "What kind of thing it was",
  incidentAt: "The day and time",
  location: "The place",
  parties: "Who was involved",
  severity: "How serious it is",
  relatedFiles: "The files:",
  contactMethod: "How the team may reach you",
  anonymous: "Leaving your name out",
};
