/**
 * What the skip link does where there is script. As a link within the page it would leave an entry in the history, and
 * "Back" would then lead nowhere.
 */
export function focusContent(event: { preventDefault: () => void }): void {
  const content = document.getElementById(CONTENT_ID);
  if (!content) return;
  event.preventDefault();
  content.focus({ preventScroll: true });
  content.scrollIntoView();
}

export const CONTENT_ID = "content";
