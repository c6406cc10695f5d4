import { processWide } from "#lib/process-wide.ts";

/** Notifies the dispatcher in the same process when an outbox event is written. */

const wakeup = processWide("dispatcher wakeup", (): { startRound?: () => void } => ({}));

/** Notifies this process's dispatcher; without one, another process's dispatcher finds the event. */
export const notifyLocalOutboxDispatcher = (): void => wakeup.startRound?.();

/** Sets the function that `notifyLocalOutboxDispatcher` calls; undefined removes it. */
export function setOutboxDispatcherWakeup(startRound: (() => void) | undefined): void {
  if (startRound) wakeup.startRound = startRound;
  else delete wakeup.startRound;
}
