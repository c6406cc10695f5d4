/**
 * Whoever writes a fact wakes the teller of the same process. The bundler and the start command load modules of their
 * own, so the whole process knows who is to be woken.
 */

type DispatcherWakeup = { ring?: () => void };

const wakeup = ((globalThis as unknown as { heedTellerBell?: DispatcherWakeup }).heedTellerBell ??= {});

/** Something waits to be told; without a teller in this process, that of another will find it. */
export const wakeDispatcher = (): void => wakeup.ring?.();

/** From now on `wake` is called when something waits to be told; undefined for nobody. */
export function setDispatcherWakeup(wake: (() => void) | undefined): void {
  if (wake) wakeup.ring = wake;
  else delete wakeup.ring;
}
