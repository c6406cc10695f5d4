import type { Problem } from "./report-problems.ts";

/** A report on its way: how much of it has left, from 0 to 1, and how to stop it. */
export type Sending = { share: number; stop: () => void };

export type Answer = { ok: true; id: string } | { ok: false; problem: Problem; stopped?: true };

/** Sends a report with XMLHttpRequest, since `fetch` doesn't tell how far an upload is. */
export function startSending(
  path: string,
  body: FormData,
  tell: (sending: Sending) => void,
): { answer: Promise<Answer> } {
  const request = new XMLHttpRequest();
  const stop = () => request.abort();
  tell({ share: 0, stop });
  const answer = new Promise<Answer>((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => tell({ share: total > 0 ? loaded / total : 0, stop });
    request.onload = () => resolve(answerOf(request));
    request.onerror = () => resolve({ ok: false, problem: BROKEN });
    request.onabort = () => resolve({ ok: false, problem: BROKEN, stopped: true });
  });
  request.open("POST", path);
  request.setRequestHeader("Accept", "application/json");
  request.send(body);
  return { answer };
}

function answerOf(request: XMLHttpRequest): Answer {
  const body = parsed(request.responseText);
  if (request.status === 201 && body?.incident) return { ok: true, id: body.incident.id };
  if (body?.code)
    return { ok: false, problem: { code: body.code, error: body.error ?? "", details: body.details ?? "" } };
  return { ok: false, problem: { code: "SERVICE_UNAVAILABLE", error: "", details: "" } };
}

type Body = Partial<Problem> & { incident?: { id: string } };

function parsed(text: string): Body | undefined {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined;
  }
}

/** Nobody knows on which half of the way it broke, and it is said. */
const BROKEN: Problem = {
  code: "BROKEN_OFF",
  error: "The connection broke off before an answer came, so your report may not have arrived.",
  details:
    "What you wrote is still here. Check your connection, look into your list of reports in another tab, and send it again if it isn't there.",
};
