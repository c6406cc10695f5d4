/**
 * Unsent text by the name of its field. Kept in memory only, until the tab leaves the page; filters and refreshes keep
 * it.
 */

const drafts = new Map<string, string>();
let writerId = "";

/** Discards text of anybody else who was signed in in this tab before, and notes who is now. */
export function discardUnsentTextsOfOtherAccounts(account: string): void {
  if (account !== writerId) drafts.clear();
  writerId = account;
}

export const getUnsentTextOfField = (place: string): string => drafts.get(place) ?? "";

/** Sets the unsent text of a field; blank text removes it. */
export function setUnsentTextOfField(place: string, text: string): void {
  if (text.trim() === "") drafts.delete(place);
  else drafts.set(place, text);
}

export const hasUnsentTexts = (): boolean => drafts.size > 0;

export const clearUnsentTexts = (): void => drafts.clear();
