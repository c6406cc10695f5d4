import { reportState } from "#components/incident/report-problems.ts";
import { pageWords } from "#components/words/page-words.ts";
import type { Words } from "#components/words/words.ts";
import { keepFormReturn } from "#lib/http/form-drafts.ts";
import { receiveForm, seeOther } from "#lib/http/upload-form.ts";
import { timeInZone } from "#lib/design/zones.ts";
import { mayHaveHappened } from "#lib/operation/errors.ts";
import { createIncident } from "#lib/incidents/operations.ts";
import { TITLE_MAX, TITLE_MIN } from "#lib/incidents/schema.ts";
import { subjectFrom } from "#lib/incidents/subject-line.ts";

type Context = { params: Promise<{ slug: string }> };

/**
 * Takes the report form as a browser without script posts it. Sent: on to the thanks. Refused: back to the form,
 * with every word; signed out meanwhile: first to sign-in, and then back with every word.
 */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { slug } = await params;
  const form = await pageWords("reportForm");
  const shape = (values: Record<string, string>) => reportOf(values, form);
  const sent = await receiveForm(createIncident, request, { params, shape });
  if (sent.ok) {
    const { incident } = sent.result;
    return seeOther(`/e/${slug}/report/sent${incident.reporterId ? `?id=${incident.id}` : ""}`, sent.cookies);
  }
  const { error, values, userId, cookies } = sent;
  const address = `/e/${encodeURIComponent(slug)}/report`;
  const signedOut = error.code === "UNAUTHENTICATED";
  const retryAfter = Number(error.headers["Retry-After"]) || undefined;
  const first = error.headers.Location;
  const problem = { code: error.code, error: error.message, details: error.details, retryAfter, first };
  const words = { t: form, limits: { title: { min: TITLE_MIN, max: TITLE_MAX } } };
  const t = await pageWords("report");
  const state = signedOut
    ? { ok: false, error: t("signedOut"), values }
    : reportState(problem, values, words);
  try {
    const back = userId ? `${address}?return=${await keepFormReturn(userId, state)}` : address;
    return seeOther(signedOut ? `/login?next=${encodeURIComponent(back)}` : back, cookies);
  } catch {
    return wordsBack(t(mayHaveHappened(error) ? "wordsBackUnsure" : "wordsBack"), values);
  }
}

/** Where the words can't even be kept, they are handed back as they are, to be copied. */
function wordsBack(
  said: string,
  { title, description, location, parties }: Record<string, string>,
): Response {
  const words = [title, description, location, parties].filter(Boolean).join("\n\n");
  const text = `${said}\n\n\n${words}\n`;
  return new Response(text, {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "5" },
  });
}

/** A subject out of the words where none was given; the time is read in the zone that was chosen, else in UTC. */
function reportOf(
  { title, incidentAt, zone, ...values }: Record<string, string>,
  t: Words<"reportForm">,
): Record<string, string> {
  const limits = { min: TITLE_MIN, max: TITLE_MAX };
  return {
    ...values,
    title: title?.trim() ? title : subjectFrom(values.description ?? "", limits, t),
    ...(incidentAt && { incidentAt: timeInZone(incidentAt, zone ?? "UTC") ?? incidentAt }),
  };
}
