/** Is this a key by itself, for the page? Not while somebody writes, chooses in a field of its own, or is asked something. */
export const isShortcutKey = (event: KeyboardEvent): boolean =>
  !(event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) &&
  !isTextInput(event.target) &&
  !document.querySelector("dialog[open]");

const isTextInput = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));
