/**
 * What the skip link does where there is script. As a link within the page it would leave an entry in the history, and
 * "Back" would then lead nowhere.
 */
export function goToContent(event: { preventDefault: () => void }): void {
  const content = document.getElementById(CONTENT);
  if (!content) return;
  event.preventDefault();
  content.focus({ preventScroll: true });
  content.scrollIntoView();
}

export const CONTENT = "content";
