import { processWide } from "#lib/process-wide.ts";

/** Wakes the dispatcher in the same process when an outbox event is written. */

const wakeup = processWide("dispatcher wakeup", (): { wake?: () => void } => ({}));

/** Wakes this process's dispatcher; without one, another process's dispatcher finds the event. */
export const wakeDispatcher = (): void => wakeup.wake?.();

/** Sets the function that `wakeDispatcher` calls; undefined removes it. */
export function setDispatcherWakeup(wake: (() => void) | undefined): void {
  if (wake) wakeup.wake = wake;
  else delete wakeup.wake;
}
