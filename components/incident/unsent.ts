/**
 * What is being written and not yet sent, by the name of its place. It lasts as long as the page does in this tab,
 * through filters and refreshes, and is kept nowhere else.
 */

const drafts = new Map<string, string>();
let writerId = "";

/** Says who writes from here on; what somebody else wrote who was signed in in this tab before is forgotten. */
export function setDraftWriter(account: string): void {
  if (account !== writerId) drafts.clear();
  writerId = account;
}

export const getDraft = (place: string): string => drafts.get(place) ?? "";

/** Blank words are no draft. */
export function saveDraft(place: string, text: string): void {
  if (text.trim() === "") drafts.delete(place);
  else drafts.set(place, text);
}

export const hasDrafts = (): boolean => drafts.size > 0;

export const clearDrafts = (): void => drafts.clear();
