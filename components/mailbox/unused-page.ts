/** What counts as use of a page; a mouse that only moves doesn't. */
const INPUT_EVENTS = ["pointerdown", "keydown", "input", "wheel"] as const;

/**
 * Calls `onUnused` once, when nobody has used this page for a time, or when the browser brings the page back from the
 * back/forward cache. Time for which the device slept counts: the input that ends it is no use of the page.
 * @param limitMs the time in milliseconds
 * @returns a function that stops watching
 */
export function watchForUnusedPage(limitMs: number, onUnused: () => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let usedAt = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    controller.abort();
    clearTimeout(timer);
  };
  const end = () => {
    stop();
    onUnused();
  };
  const isUnused = () => Date.now() - usedAt >= limitMs;
  const restart = () => {
    usedAt = Date.now();
    clearTimeout(timer);
    timer = setTimeout(end, limitMs);
  };
  for (const type of INPUT_EVENTS)
    window.addEventListener(type, () => (isUnused() ? end() : restart()), { signal, capture: true });
  document.addEventListener("visibilitychange", () => void (!document.hidden && isUnused() && end()), {
    signal,
  });
  window.addEventListener("pageshow", ({ persisted }) => void (persisted && end()), { signal });
  restart();
  return stop;
}
