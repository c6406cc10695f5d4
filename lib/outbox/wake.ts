/**
 * Wakes the dispatcher in the same process when an outbox event is written. The bundler and the start command load
 * separate copies of this module, so the wakeup is global to the process.
 */

type DispatcherWakeup = { ring?: () => void };

const wakeup = ((globalThis as unknown as { heedTellerBell?: DispatcherWakeup }).heedTellerBell ??= {});

/** Wakes this process's dispatcher; without one, another process's dispatcher finds the event. */
export const wakeDispatcher = (): void => wakeup.ring?.();

/** Sets the function that `wakeDispatcher` calls; undefined removes it. */
export function setDispatcherWakeup(wake: (() => void) | undefined): void {
  if (wake) wakeup.ring = wake;
  else delete wakeup.ring;
}
