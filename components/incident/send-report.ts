import type { SendReportErrorData } from "./report-problems.ts";

/** A report being uploaded: the fraction sent, from 0 to 1, and how to cancel it. */
export type RunningReportUpload = { share: number; stop: () => void };

/**
 * The result of sending a report. `id` is null for a report with a mailbox, which the response has opened on this
 * device.
 */
type SendReportResult = { ok: true; id: string | null } | { ok: false; problem: SendReportErrorData };

/** Sends a report with XMLHttpRequest, because `fetch` doesn't report upload progress. */
export function sendReport(
  path: string,
  body: FormData,
  onProgress: (sending: RunningReportUpload) => void,
): Promise<SendReportResult> {
  const request = new XMLHttpRequest();
  const stop = () => request.abort();
  onProgress({ share: 0, stop });
  const response = new Promise<SendReportResult>((resolve) => {
    request.upload.onprogress = ({ loaded, total }) =>
      onProgress({ share: total > 0 ? loaded / total : 0, stop });
    request.onload = () => resolve(parseReportResponse(request));
    request.onerror = () => resolve({ ok: false, problem: { code: "BROKEN_OFF" } });
    request.onabort = () => resolve({ ok: false, problem: { code: "STOPPED_ON_ITS_WAY" } });
  });
  request.open("POST", path);
  request.responseType = "json";
  request.setRequestHeader("idempotency-key", body.get("ticket") as string);
  body.delete("ticket");
  request.send(body);
  return response;
}

/**
 * A response that isn't the service's own, such as a gateway's page, doesn't tell whether the report arrived.
 */
function parseReportResponse(request: XMLHttpRequest): SendReportResult {
  // Null if the response isn't JSON.
  const body = request.response as ResponseBody | null;
  const id = body?.receipt ? null : body?.incident?.id;
  if (request.status === 201 && id !== undefined) return { ok: true, id };
  if (!body?.code) return { ok: false, problem: { code: "BROKEN_OFF" } };
  const retryAfter = Number(request.getResponseHeader("retry-after"));
  const location = request.getResponseHeader("location");
  const errorKey = request.getResponseHeader("x-error-key") ?? "";
  const { code, details } = body;
  return { ok: false, problem: { code, details, errorKey, retryAfter, first: location } };
}

type ResponseBody = { code?: string; details?: string; receipt?: string; incident?: { id?: string } };
