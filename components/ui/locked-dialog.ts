import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps a dialog open, as a modal one, whatever key is pressed. `closedby` does so where browsers know it. Preventing
 * `cancel` isn't enough elsewhere: it may work once per press of something in the page, so a closed dialog opens again.
 * @returns a function that closes the dialog: only removing the element wouldn't return the focus to where it was
 */
export function useLockedDialog(dialog: RefObject<HTMLDialogElement | null>, locked: boolean): () => void {
  const lock = useRef<AbortController>(null);
  useEffect(() => {
    if (!locked) return;
    const element = dialog.current;
    element?.setAttribute("closedby", "none");
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
