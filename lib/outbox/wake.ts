/**
 * Whoever writes a fact wakes the teller of the same process. The bundler and the start command load modules of their
 * own, so the whole process knows who is to be woken.
 */

type Bell = { ring?: () => void };

const bell = ((globalThis as unknown as { heedTellerBell?: Bell }).heedTellerBell ??= {});

/** Something waits to be told; without a teller in this process, that of another will find it. */
export const wakeTeller = (): void => bell.ring?.();

/** From now on `wake` is called when something waits to be told; undefined for nobody. */
export function onUntold(wake: (() => void) | undefined): void {
  if (wake) bell.ring = wake;
  else delete bell.ring;
}
