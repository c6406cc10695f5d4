/**
 * The status of a page that says why it can't be shown. Whatever a page renders, Next sends it with 200; so the page
 * notes here what its answer is, and the guard in front, which sees the head of each response, sends that. The bundler
 * and the start command load modules of their own, so what is noted is known to the whole process.
 */

type PageResponse = { status: number; headers: Record<string, string> };

const pendingResponses = ((
  globalThis as unknown as { heedPages?: Map<string, PageResponse | undefined> }
).heedPages ??= new Map());

/** Lets the page of this request note its answer. Only requests under way have a place, so there are never many. */
export function expectPageResponse(requestId: string): void {
  pendingResponses.set(requestId, undefined);
}

/** Notes the answer of a page; of one whose response has ended, nothing is kept. */
export function setPageResponse(requestId: string, response: PageResponse): void {
  if (pendingResponses.has(requestId)) pendingResponses.set(requestId, response);
}

export const findPageResponse = (requestId: string): PageResponse | undefined =>
  pendingResponses.get(requestId);

/** To be called when the response has ended. */
export function discardPageResponse(requestId: string): void {
  pendingResponses.delete(requestId);
  lostForms.delete(requestId);
}

/** What forms held that arrived after the session had ended, while their response is under way. */
const lostForms = ((globalThis as unknown as { heedLost?: Map<string, Record<string, string>> }).heedLost ??=
  new Map());

/**
 * Notes what a form held that nobody is signed in for any more: without script the page that answers can't show the
 * form, and hands the words back instead.
 */
export function saveLostForm(requestId: string, values: Record<string, string>): void {
  if (pendingResponses.has(requestId)) lostForms.set(requestId, values);
}

export const findLostForm = (requestId: string): Record<string, string> | undefined =>
  lostForms.get(requestId);
