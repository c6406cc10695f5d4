import type { Problem } from "./report-problems.ts";

/** A report on its way: how much of it has left, from 0 to 1, and how to stop it. */
export type Sending = { share: number; stop: () => void };

export type Answer = { ok: true; id: string } | { ok: false; problem: Problem };

/** Sends a report with XMLHttpRequest, since `fetch` doesn't tell how far an upload is. */
export function sendReport(path: string, body: FormData, tell: (sending: Sending) => void): Promise<Answer> {
  const request = new XMLHttpRequest();
  const stop = () => request.abort();
  tell({ share: 0, stop });
  const answer = new Promise<Answer>((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => tell({ share: total > 0 ? loaded / total : 0, stop });
    request.onload = () => resolve(answerOf(request));
    request.onerror = () => resolve({ ok: false, problem: { code: "BROKEN_OFF" } });
    request.onabort = () => resolve({ ok: false, problem: { code: "STOPPED_ON_ITS_WAY" } });
  });
  request.open("POST", path);
  request.responseType = "json";
  request.setRequestHeader("idempotency-key", body.get("ticket") as string);
  request.send(body);
  return answer;
}

/**
 * Who is signed in by now: another tab may have seen to that, and no report goes out in somebody else's name.
 * @returns id of the account, null for nobody, undefined where it can't be told
 */
export async function signedInAs(signal?: AbortSignal): Promise<string | null | undefined> {
  try {
    const answer = await fetch("/api/auth/session", { signal });
    if (!answer.ok) return undefined;
    const session = (await answer.json()) as { authenticated?: boolean; user?: { id?: string } };
    return session.authenticated ? session.user?.id : null;
  } catch {
    return undefined;
  }
}

/** Whatever isn't the service's own answer, such as a gateway's page, says nothing about what became of the report. */
function answerOf(request: XMLHttpRequest): Answer {
  // Null for what is no JSON.
  const body = request.response as Body | null;
  if (request.status === 201 && body?.incident?.id) return { ok: true, id: body.incident.id };
  if (!body?.code) return { ok: false, problem: { code: "BROKEN_OFF" } };
  const retryAfter = Number(request.getResponseHeader("retry-after"));
  const first = request.getResponseHeader("location");
  return { ok: false, problem: { ...(body as Problem), retryAfter, first } };
}

type Body = Partial<Problem> & { incident?: { id?: string } };
