import { processWide } from "#lib/process-wide.ts";

/**
 * The status of a page that explains why it can't be shown. Next sends every rendered page with 200, so the page
 * records its status here, and the request guard, which sees the head of each response, applies it.
 */

type PageResponse = { status: number; headers: Record<string, string> };

const pendingResponses = processWide("page responses", () => new Map<string, PageResponse | undefined>());

/** Lets the page of this request record its response. Only requests in flight have an entry, so the map stays small. */
export function startPageStatusRecording(requestId: string): void {
  pendingResponses.set(requestId, undefined);
}

/** Records the status and headers of a page; ignored once its response has ended. */
export function recordPageStatusAndHeaders(requestId: string, response: PageResponse): void {
  if (pendingResponses.has(requestId)) pendingResponses.set(requestId, response);
}

export const findRecordedPageStatusAndHeaders = (requestId: string): PageResponse | undefined =>
  pendingResponses.get(requestId);

/** Discards what was recorded. Call it when the response has ended. */
export function discardPageStatusAndFormValues(requestId: string): void {
  pendingResponses.delete(requestId);
  lostForms.delete(requestId);
}

/** Values of forms that arrived after their session had ended, until their response ends. */
const lostForms = processWide("lost forms", () => new Map<string, Record<string, string>>());

/**
 * Stores the values of a form whose session has ended: without script, the page in the response can't show the form,
 * so it shows the text instead.
 */
export function storeExpiredSessionFormValues(requestId: string, values: Record<string, string>): void {
  if (pendingResponses.has(requestId)) lostForms.set(requestId, values);
}

export const findExpiredSessionFormValues = (requestId: string): Record<string, string> | undefined =>
  lostForms.get(requestId);
