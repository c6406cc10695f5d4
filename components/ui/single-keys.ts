/**
 * Returns whether a key press is a single-key shortcut for the page: no modifier, not in a text field or
 * select, and no dialog open.
 */
export const isSingleKeyShortcutPress = (event: KeyboardEvent): boolean =>
  !(event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) &&
  !isTextInput(event.target) &&
  !document.querySelector("dialog[open]");

const isTextInput = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));
