import { reportState } from "#components/incident/report-problems.ts";
import { keepFormReturn } from "#lib/api/form-return.ts";
import { receiveForm, seeOther } from "#lib/api/upload-form.ts";
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
  const sent = await receiveForm(createIncident, request, { params, shape: reportOf });
  if (sent.ok) {
    const { incident } = sent.result;
    return seeOther(`/e/${slug}/report/sent${incident.reporterId ? `?id=${incident.id}` : ""}`, sent.cookies);
  }
  const { error, values, userId, cookies } = sent;
  const form = `/e/${encodeURIComponent(slug)}/report`;
  const signedOut = error.code === "UNAUTHENTICATED";
  const problem = { code: error.code, error: error.message, details: error.details };
  const state = signedOut ? { ok: false, error: SIGNED_OUT, values } : reportState(problem, values);
  try {
    const back = userId ? `${form}?return=${await keepFormReturn(userId, state)}` : form;
    return seeOther(signedOut ? `/login?next=${encodeURIComponent(back)}` : back, cookies);
  } catch {
    return wordsBack(values);
  }
}

const SIGNED_OUT = "Not sent yet: you had been signed out. Look it through and send it now.";

/** Where the words can't even be kept, they are handed back as they are, to be copied. */
function wordsBack({ title, description, location, parties }: Record<string, string>): Response {
  const words = [title, description, location, parties].filter(Boolean).join("\n\n");
  const text = `Not sent: the service can't take your report just now. Nothing of it was kept.\nCopy your words, wait a moment, and open the form again.\n\n\n${words}\n`;
  return new Response(text, {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "5" },
  });
}

/** A subject out of the words where none was given; the time is read in UTC, as the form says. */
function reportOf({ title, incidentAt, ...values }: Record<string, string>): Record<string, string> {
  const limits = { min: TITLE_MIN, max: TITLE_MAX };
  return {
    ...values,
    title: title?.trim() ? title : subjectFrom(values.description ?? "", limits),
    ...(incidentAt ? { incidentAt: /T\d\d:\d\d$/.test(incidentAt) ? `${incidentAt}:00Z` : incidentAt } : {}),
  };
}
