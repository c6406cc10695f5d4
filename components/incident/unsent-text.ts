/**
 * Unsent text by place, kept in memory for as long as the page is open in this tab, through filters and
 * refreshes, and stored nowhere else.
 */

const drafts = new Map<string, string>();
let writerId = "";

/** Sets the current writer and discards text of anybody else who was signed in in this tab before. */
export function setUnsentTextWriter(account: string): void {
  if (account !== writerId) drafts.clear();
  writerId = account;
}

export const getUnsentText = (place: string): string => drafts.get(place) ?? "";

/** Saves the text; blank text deletes the draft. */
export function setUnsentText(place: string, text: string): void {
  if (text.trim() === "") drafts.delete(place);
  else drafts.set(place, text);
}

export const hasUnsentTexts = (): boolean => drafts.size > 0;

export const clearUnsentTexts = (): void => drafts.clear();
