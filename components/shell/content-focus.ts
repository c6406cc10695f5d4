/**
 * Moves the focus to the content, as the skip link with script. A fragment link would add a history entry,
 * and "Back" would then lead nowhere.
 */
export function focusContent(event: { preventDefault: () => void }): void {
  const content = document.getElementById(MAIN_CONTENT_ELEMENT_ID);
  if (!content) return;
  event.preventDefault();
  content.focus({ preventScroll: true });
  content.scrollIntoView();
}

export const MAIN_CONTENT_ELEMENT_ID = "content";
