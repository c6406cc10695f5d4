let isReloading = false;

/** Reloads without a question about unsent text, since the present person may not see the page, or isn't its writer. */
export function reloadWithoutPrompt(): void {
  if (isReloading) return;
  isReloading = true;
  document.body.hidden = true;
  window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), true);
  location.reload();
}
