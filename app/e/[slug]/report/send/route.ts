import { findPublicEventAndSetZone } from "#components/event/event-data.ts";
import { buildReportErrorState, listFieldsWithProblems } from "#components/incident/report-problems.ts";
import { getTranslator } from "#components/i18n/request-translator.ts";
import type { FormState } from "#lib/design/form-state.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { saveRefusedFormOfUser } from "#lib/http/form-drafts.ts";
import {
  submitUploadFormToOperation,
  createSeeOtherResponse,
  type UploadFormResult,
} from "#lib/http/upload-form.ts";
import { reportWithoutAccount } from "#lib/conversations/operations.ts";
import { saveRefusedFormOfVisitor } from "#lib/http/visitor-form.ts";
import { env } from "#lib/env.ts";
import { getCurrentActor, getCurrentLocale } from "#lib/http/page.ts";
import { createUnsentFormPageResponse } from "#lib/http/unsent-form.ts";
import { can } from "#lib/operation/policy.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { findTimeZoneByText } from "#lib/time-zones.ts";
import { INCIDENT_TIME_FIELDS, readIncidentTime } from "#lib/incident-time.ts";
import {
  serializeErrorTextKeyAndNumbers,
  isCommitOutcomeUnknownError,
  InvalidInputError,
  type AppError,
} from "#lib/operation/errors.ts";
import { createIncident, createIncidentWithoutRole } from "#lib/incidents/operations.ts";
import { MAX_INCIDENT_TITLE_LENGTH, MIN_INCIDENT_TITLE_LENGTH } from "#lib/incidents/schema.ts";
import { parseIncidentKind } from "#lib/incidents/kinds.ts";
import { formatNeutralTitle } from "#lib/incidents/neutral-title.ts";

type Context = { params: Promise<{ slug: string }> };

/**
 * Accepts the report form as a browser without script posts it. Success redirects to the confirmation; a
 * refusal redirects back to the form with all text; an ended session redirects to sign-in first, then back
 * with all text.
 */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug } = await params;
  const form = await getTranslator("reportForm");
  const titleContext = { t: form, tKind: await getTranslator("incident"), locale: await getCurrentLocale() };
  const shape = (values: Record<string, string>) => parseReport(values, titleContext);
  if (new URL(request.url).searchParams.get("without") === "account")
    return sendWithoutAccount(
      slug,
      request,
      await submitUploadFormToOperation(reportWithoutAccount, request, { params, shape }),
    );
  const operation = (await isPossibleMember(slug)) ? createIncident : createIncidentWithoutRole;
  const sent = await submitUploadFormToOperation(operation, request, { params, shape });
  if (sent.ok) {
    const { incident, receipt } = sent.result;
    return createSeeOtherResponse(
      receipt ? "/mailbox" : `/e/${slug}/report/sent?id=${incident.id}`,
      sent.cookies,
    );
  }
  return returnRefusedForm(request, slug, sent);
}

type RefusedForm = Extract<UploadFormResult<unknown>, { ok: false }>;

async function returnRefusedForm(request: Request, slug: string, refused: RefusedForm): Promise<Response> {
  const { error, values, userId, cookies } = refused;
  const address = `/e/${encodeURIComponent(slug)}/report`;
  const signedOut = error.code === "UNAUTHENTICATED";
  const t = await getTranslator("report");
  const state = signedOut
    ? { ok: false, error: t("signedOut"), values }
    : buildReportErrorState(
        describeRefusal(error),
        values,
        buildTextContext(await getTranslator("reportForm"), values),
      );
  if (!userId && wasRead(values))
    return respondWithForm(request, state, { error, status: signedOut ? 403 : error.status });
  try {
    const returnAddress = userId
      ? `${address}?return=${await saveRefusedFormOfUser(userId, state)}`
      : address;
    return createSeeOtherResponse(
      signedOut ? `/login?next=${encodeURIComponent(returnAddress)}` : returnAddress,
      cookies,
    );
  } catch {
    return respondWithForm(request, state, { error });
  }
}

/** Whether there is text to give back. Without a ticket that is still good, it isn't known for whom to keep it. */
const wasRead = (values: Record<string, string>): boolean => Object.keys(values).length > 0;

/**
 * Sends a report without an account. The page of the mailbox shows the receipt; a refused form comes back with all
 * text.
 */
async function sendWithoutAccount(
  slug: string,
  request: Request,
  sent: UploadFormResult<unknown>,
): Promise<Response> {
  if (sent.ok) return createSeeOtherResponse("/mailbox", sent.cookies);
  const { error, values, userId: visitor } = sent;
  const form = await getTranslator("reportForm");
  const state = buildReportErrorState(describeRefusal(error), values, buildTextContext(form, values));
  const address = `/e/${encodeURIComponent(slug)}/report?without=account`;
  if (!visitor && !wasRead(values)) return createSeeOtherResponse(address);
  // A sender who is over a limit could otherwise have any number of forms stored.
  if (!visitor || error.code === "RATE_LIMITED")
    return respondWithForm(request, state, { error, status: error.status });
  try {
    const returnKey = await saveRefusedFormOfVisitor(visitor, state);
    return createSeeOtherResponse(`${address}&return=${returnKey}`);
  } catch {
    return respondWithForm(request, state, { error });
  }
}

const describeRefusal = (error: AppError) => ({
  code: error.code,
  errorKey: serializeErrorTextKeyAndNumbers(error),
  details: error.details,
  retryAfter: Number(error.headers["Retry-After"]) || undefined,
  first: error.headers.Location,
});

const LIMITS = { title: { min: MIN_INCIDENT_TITLE_LENGTH, max: MAX_INCIDENT_TITLE_LENGTH } };

const buildTextContext = (t: Translator<"reportForm">, { zone }: Record<string, string>) => ({
  t,
  limits: LIMITS,
  zone: findZone(zone),
});

/** Returns the zone that the form names, else that of the installation. */
const findZone = (zone = ""): string => findTimeZoneByText(zone) ?? env().timeZone;

/**
 * Returns whether the sender has a role in the event. Also true if the session has just ended or there is no such
 * event: the operation for members then reports that.
 */
async function isPossibleMember(slug: string): Promise<boolean> {
  const actor = await getCurrentActor().catch(() => null);
  const event = actor && (await findPublicEventAndSetZone(slug).catch(() => null));
  return !event || can(actor, "incident.create", { eventId: event.id });
}

/** Responds with a page whose form contains the whole text, because a redirect would lose a text that isn't stored. */
async function respondWithForm(
  request: Request,
  state: FormState,
  { error, status }: { error: AppError; status?: number },
): Promise<Response> {
  const [t, tReport] = [await getTranslator("reportForm"), await getTranslator("report")];
  const names = [
    "title",
    "description",
    "location",
    "parties",
    "reportedPersonName",
    "excludedName",
  ] as const;
  const form = {
    locale: await getCurrentLocale(),
    state,
    problem: tReport(isCommitOutcomeUnknownError(error) ? "notSentUnsure" : "notSent"),
    labels: Object.fromEntries(names.map((name) => [name, t(`field.${name}`)])),
    values: state.values ?? {},
    status,
  };
  return createUnsentFormPageResponse(request, form, error);
}

type TitleContext = { t: Translator<"reportForm">; tKind: Translator<"incident">; locale: Locale };

/** Fields of the form that stand for members of the report. */
const FORM_ONLY_FIELDS: readonly string[] = [...INCIDENT_TIME_FIELDS, "zone"];

/**
 * Adds a neutral title if none was given, and reads the time in the zone of the form.
 * @throws InvalidInputError naming the fields that are to be corrected, or answered, as with script
 */
function parseReport(values: Record<string, string>, context: TitleContext): Record<string, unknown> {
  const zone = findZone(values.zone);
  const problems = listFieldsWithProblems(values, { limits: LIMITS, zone });
  if (values.zone?.trim() && !findTimeZoneByText(values.zone) && values.incidentDay) problems.push("zone");
  if (problems.length > 0)
    throw new InvalidInputError(
      Object.fromEntries(problems.map((name) => [name, createFieldProblem("invalid")])),
    );
  const time = readIncidentTime(values, { zone, now: new Date() });
  const { title } = values;
  return {
    ...Object.fromEntries(Object.entries(values).filter(([name]) => !FORM_ONLY_FIELDS.includes(name))),
    openMailbox: "true",
    title: title?.trim() ? title : formatTodaysTitle(values.type, zone, context),
    ...(time && "incidentAt" in time && time),
  };
}

/** The kind counts only if the form offers it: any other text is the sender's own. */
function formatTodaysTitle(type: string | undefined, timeZone: string, context: TitleContext): string {
  const { t, tKind, locale } = context;
  const kind = parseIncidentKind(type ?? null);
  const options = { kind: kind && tKind(`kind.${kind}`), t, locale, timeZone };
  return formatNeutralTitle(new Date(), options);
}
