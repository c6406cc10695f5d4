/**
 * The status of a page that says why it can't be shown. Whatever a page renders, Next sends it with 200; so the page
 * notes here what its answer is, and the guard in front, which sees the head of each response, sends that. The bundler
 * and the start command load modules of their own, so what is noted is known to the whole process.
 */

type PageAnswer = { status: number; headers: Record<string, string> };

const underWay = ((globalThis as unknown as { heedPages?: Map<string, PageAnswer | undefined> }).heedPages ??=
  new Map());

/** Lets the page of this request note its answer. Only requests under way have a place, so there are never many. */
export function expectPageAnswer(requestId: string): void {
  underWay.set(requestId, undefined);
}

/** Notes the answer of a page; of one whose response has ended, nothing is kept. */
export function notePageAnswer(requestId: string, answer: PageAnswer): void {
  if (underWay.has(requestId)) underWay.set(requestId, answer);
}

export const notedPageAnswer = (requestId: string): PageAnswer | undefined => underWay.get(requestId);

/** To be called when the response has ended. */
export function forgetPageAnswer(requestId: string): void {
  underWay.delete(requestId);
  lost.delete(requestId);
}

/** What forms held that arrived after the session had ended, while their response is under way. */
const lost = ((globalThis as unknown as { heedLost?: Map<string, Record<string, string>> }).heedLost ??=
  new Map());

/**
 * Notes what a form held that nobody is signed in for any more: without script the page that answers can't show the
 * form, and hands the words back instead.
 */
export function noteLostWords(requestId: string, values: Record<string, string>): void {
  if (underWay.has(requestId)) lost.set(requestId, values);
}

export const lostWords = (requestId: string): Record<string, string> | undefined => lost.get(requestId);
