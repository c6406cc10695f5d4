import type { Translator } from "#components/i18n/translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import type { WayOut } from "#lib/files/file-types.ts";
import { readIncidentTime } from "#lib/incident-time.ts";
import { REPORT_STEP_FIELDS } from "./report-fields.ts";

/**
 * Messages for a refused report, identical whether script or the browser sent it. Imports no schema, to stay
 * small enough for the browser.
 */

/** An error as the API returns it (contract 3.3), or as it was thrown. */
export type SendReportErrorData = {
  code: string;
  /** The header `X-Error-Key`. */
  errorKey?: string | undefined;
  details?: string | undefined;
  /** Seconds to wait before trying again. */
  retryAfter?: number | undefined;
  /** URL of the report that already arrived under the same key. */
  first?: string | null | undefined;
};

type ReportTranslator = Translator<"reportForm">;

/** Minimum and maximum length of the subject, in characters. */
type TextLimits = { title: { min: number; max: number } };

type TextContext = {
  t: ReportTranslator;
  limits: TextLimits;
  /** Zone in which the time was entered. */
  zone: string;
};

type RefusedFiles = {
  /** The files that were sent, if the caller still has them. */
  files?: readonly { name: string }[];
  /** Returns how to send a file of this name. */
  findWayOut?: ((name: string) => WayOut | undefined) | undefined;
};

/** Builds the state that the form shows. `values` are the submitted texts; files can't be restored. */
export function buildReportErrorState(
  { code, errorKey = "", details = "", retryAfter, first }: SendReportErrorData,
  values: Record<string, string>,
  { files, findWayOut, ...textContext }: TextContext & RefusedFiles,
): FormState {
  const { t } = textContext;
  const key = errorKey.split(";", 1)[0] ?? "";
  if (code === "VALIDATION_ERROR") {
    const fieldErrors = parseFieldProblems(details, (name) =>
      describeFieldProblem(name, values, textContext),
    );
    const hasFieldErrors = Object.keys(fieldErrors).length > 0;
    return { ok: false, error: t(hasFieldErrors ? "problem.fields" : "problem.whole"), fieldErrors, values };
  }
  const aboutFiles = FILE_PROBLEM_KEYS[code] ?? (code === "UNSUPPORTED_FILE_TYPE" && findFileTypeKey(key));
  if (aboutFiles) {
    const { file, wayOut } = findRefusedFile(errorKey, { t, files, findWayOut });
    const relatedFiles = t(`problem.${aboutFiles}`, { file, wayOut });
    return { ok: false, error: t("problem.file"), fieldErrors: { relatedFiles }, values };
  }
  if (code === "RATE_LIMITED" && retryAfter)
    return { ok: false, error: t("problem.tooManyFor", { minutes: Math.ceil(retryAfter / 60) }), values };
  if (key === "inspectionBusy") return { ok: false, error: t("problem.filesBusy"), values };
  const problemKey = key === "outcomeUnknown" ? "unsure" : FORM_PROBLEM_KEYS[code];
  const state: FormState = { ok: false, error: t(`problem.${problemKey ?? "notNow"}`), values };
  if (code === "UNAUTHENTICATED") return { ...state, signedOut: true };
  // Another report already used this key, so the retry uses a new one. The URL of the first ends with its id.
  if (code === "IDEMPOTENCY_KEY_REUSED") state.values = { ...values, ticket: `${values.ticket}.` };
  if (first) state.incidentPath = `i/${first.slice(-36)}`;
  return state;
}

/** Finds errors in what was entered before anything is sent, by field. */
export function findReportTextProblems(
  values: Record<string, string>,
  textContext: TextContext,
): Record<string, string> {
  const fields = listFieldsWithProblems(values, textContext);
  return Object.fromEntries(fields.map((name) => [name, describeFieldProblem(name, values, textContext)]));
}

/** Lists the fields with an error that can be found in the form alone. */
export function listFieldsWithProblems(
  values: Record<string, string>,
  { limits, zone }: Pick<TextContext, "limits" | "zone">,
): string[] {
  const title = [...(values.title?.trim() ?? "")].length;
  const { min, max } = limits.title;
  const time = readIncidentTime(values, { zone, now: new Date() });
  const isToBeCalled = values.contactMethod === "phone" && !values.anonymous;
  const isNamed = Boolean(values.excludedUserIds ?? values.excludedName?.trim());
  return [
    ...(values.aboutTeam === "named" && !isNamed ? ["aboutTeam"] : []),
    ...(values.description?.trim() ? [] : ["description"]),
    ...(title > 0 && (title < min || title > max) ? ["title"] : []),
    ...(time && "field" in time ? [time.field] : []),
    ...(isToBeCalled && !values.contactPhone?.trim() ? ["contactPhone"] : []),
  ];
}

/** Why a file isn't accepted, by the key of the error. */
const FILE_TYPE_PROBLEM_KEYS: Record<string, "fileRevealing" | "fileUnchecked" | "fileText"> = {
  textNotSupported: "fileText",
  fileNotCleanable: "fileRevealing",
  fileNotInspected: "fileUnchecked",
};

const findFileTypeKey = (key: string) => FILE_TYPE_PROBLEM_KEYS[key] ?? "fileKind";

/**
 * Returns a text that names the refused file, or gives its number if the caller no longer has the files, and how to
 * send it by its name. The API's errors only number files, because an error contains nothing that the sender entered.
 */
function findRefusedFile(
  errorKey: string,
  { t, files = [], findWayOut }: RefusedFiles & { t: ReportTranslator },
): { file: string; wayOut: WayOut } {
  const number = Number(/; number=(\d+)/.exec(errorKey)?.[1] ?? 1);
  const name = files[number - 1]?.name;
  return {
    file: name ? t("problem.fileNamed", { name }) : t("problem.fileNumbered", { number }),
    wayOut: findWayOut?.(name ?? "") ?? "other",
  };
}

const FILE_PROBLEM_KEYS: Record<string, "fileSize" | "quota"> = {
  PAYLOAD_TOO_LARGE: "fileSize",
  QUOTA_EXCEEDED: "quota",
};

const FORM_PROBLEM_KEYS: Record<
  string,
  | "signedOut"
  | "somebodyElse"
  | "stopped"
  | "member"
  | "notOpen"
  | "tooMany"
  | "storage"
  | "another"
  | "unsure"
  | "broken"
  | "stoppedLate"
> = {
  // It's unknown whether the report arrived: there was no response, or a failure that may have occurred after
  // saving.
  INTERNAL_ERROR: "unsure",
  BROKEN_OFF: "broken",
  STOPPED_ON_ITS_WAY: "stoppedLate",
  IDEMPOTENCY_KEY_REUSED: "another",
  UNAUTHENTICATED: "signedOut",
  SOMEBODY_ELSE: "somebodyElse",
  STOPPED: "stopped",
  FORBIDDEN: "member",
  EVENT_NOT_OPEN: "notOpen",
  RATE_LIMITED: "tooMany",
  STORAGE_UNAVAILABLE: "storage",
};

/** Parses `details`, which names each field and its error: "title: must be …; description: is missing". */
function parseFieldProblems(details: string, say: (name: string) => string): Record<string, string> {
  const namedFields = details
    .split(/; (?=[a-zA-Z]+(?:\[\]|\.\d+)?: )/)
    .flatMap((part) => /^([a-zA-Z]+)(?:\[\]|\.\d+)?: /.exec(part)?.[1] ?? []);
  // The form has a day and a time in place of these members.
  const shownFields = namedFields
    .map((name) => (/^incident(At|On|DayPart)$/.test(name) ? "incidentDay" : name))
    .filter((name) => FIELD_NAMES.has(name));
  return Object.fromEntries(shownFields.map((name) => [name, say(name)]));
}

/** Fields whose problem has a text of its own. */
const OWN_PROBLEMS = [
  "title",
  "relatedFiles",
  "fileDescriptions",
  "aboutTeam",
  "excludedUserIds",
  "contactPhone",
  "zone",
];

const FIELD_NAMES = new Set<string>(Object.values(REPORT_STEP_FIELDS).flat());

function describeFieldProblem(
  name: string,
  values: Record<string, string>,
  { t, limits: { title }, zone }: TextContext,
): string {
  if (name === "description" && !values.description?.trim()) return t("problem.description");
  if (name.startsWith("incident")) {
    const time = readIncidentTime(values, { zone, now: new Date() });
    return t(`problem.time.${time && "problem" in time ? time.problem : "notADay"}`);
  }
  if (OWN_PROBLEMS.includes(name)) return t(`problem.${name as "title"}`, title);
  return t("problem.field", { field: t(`field.${name as "location"}`) });
}
