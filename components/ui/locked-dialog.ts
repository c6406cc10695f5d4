import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps a dialog open, as a modal one, whatever key is pressed. Preventing `cancel` isn't enough: browsers allow it once
 * per press of something in the page, and close the dialog at the second Escape or "Back".
 * @returns a function that closes the dialog: only removing the element wouldn't return the focus to where it was
 */
export function useLockedDialog(dialog: RefObject<HTMLDialogElement | null>, locked: boolean): () => void {
  const lock = useRef<AbortController>(null);
  useEffect(() => {
    if (!locked) return;
    const element = dialog.current;
    element?.showModal();
    const controller = new AbortController();
    const { signal } = controller;
    lock.current = controller;
    element?.addEventListener("close", () => element.showModal(), { signal });
    element?.addEventListener("cancel", (event) => event.preventDefault(), { signal });
    return () => controller.abort();
  }, [dialog, locked]);
  return () => {
    lock.current?.abort();
    dialog.current?.close();
  };
}
