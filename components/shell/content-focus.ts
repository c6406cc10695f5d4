/**
 * Moves the focus to the content when the skip link is pressed. Following the link's fragment would add a history
 * entry, and "Back" would then stay on the page.
 */
export function focusContent(event: { preventDefault: () => void }): void {
  const content = document.getElementById(MAIN_CONTENT_ELEMENT_ID);
  if (!content) return;
  event.preventDefault();
  content.focus({ preventScroll: true });
  content.scrollIntoView();
}

export const MAIN_CONTENT_ELEMENT_ID = "content";
