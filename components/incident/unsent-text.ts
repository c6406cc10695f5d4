/**
 * Unsent text by the name of its field. Kept in memory only, until the tab leaves the page; filters and refreshes keep
 * it.
 */

const drafts = new Map<string, string>();
let writerId = "";

/** Discards all unsent text if this tab last belonged to another account, and remembers the present account. */
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
