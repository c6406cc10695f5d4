/**
 * Sets `--offline-notice` to the height of the notice, which depends on the width of the window and its font size; a ref
 * for `OfflineNotice` on pages with sticky parts.
 */
export function publishOfflineNoticeHeight(notice: HTMLElement | null): (() => void) | undefined {
  if (!notice) return;
  const { style } = document.documentElement;
  const measure = new ResizeObserver(() => style.setProperty("--offline-notice", `${notice.offsetHeight}px`));
  measure.observe(notice);
  return () => {
    measure.disconnect();
    style.removeProperty("--offline-notice");
  };
}
