/**
 * What is being written and not yet sent, by the name of its place. It lasts as long as the page does in this tab,
 * through filters and refreshes, and is kept nowhere else.
 */

const drafts = new Map<string, string>();
let writer = "";

/** Says who writes from here on; what somebody else wrote who was signed in in this tab before is forgotten. */
export function writtenBy(account: string): void {
  if (account !== writer) drafts.clear();
  writer = account;
}

export const draftOf = (place: string): string => drafts.get(place) ?? "";

/** Blank words are no draft. */
export function keepDraft(place: string, words: string): void {
  if (words.trim() === "") drafts.delete(place);
  else drafts.set(place, words);
}

export const hasDrafts = (): boolean => drafts.size > 0;

export const dropDrafts = (): void => drafts.clear();
