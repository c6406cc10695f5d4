import type { Page } from "@playwright/test";

/**
 * Returns whether axe has to look at the sizes of targets (WCAG 2.5.8), which takes it longer than all other rules of
 * structure together. It needn't where each target has 24 by 24 px that no other target lies over, or no other target
 * within 24 px of its center.
 */
export const needsTargetSizeRule = (page: Page): Promise<boolean> => page.evaluate(hasDoubtfulTarget);

/** Runs in the page. Anything that can have the focus counts as a target. */
function hasDoubtfulTarget(): boolean {
  const MIN_PX = 24;
  const FOCUSABLE =
    "a[href], area[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable], [controls]";
  const targets = [...document.querySelectorAll(FOCUSABLE)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && box.height > 0);
  type Target = (typeof targets)[number];
  const isFarFrom = ({ box }: Target, other: Target) => {
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const beside = Math.max(other.box.left - x, x - other.box.right, 0);
    const above = Math.max(other.box.top - y, y - other.box.bottom, 0);
    return Math.hypot(beside, above) >= MIN_PX;
  };
  const overlap = ({ box }: Target, other: Target) =>
    box.left < other.box.right &&
    box.right > other.box.left &&
    box.top < other.box.bottom &&
    box.bottom > other.box.top;
  /** Whether one side of the target is free of everything that may lie over it, and large enough. */
  const hasFreeSide = ({ box }: Target, others: Target[]) => {
    const free = [
      [Math.min(...others.map((other) => other.box.left)) - box.left, box.height],
      [box.right - Math.max(...others.map((other) => other.box.right)), box.height],
      [box.width, Math.min(...others.map((other) => other.box.top)) - box.top],
      [box.width, box.bottom - Math.max(...others.map((other) => other.box.bottom))],
    ];
    return free.some((sides) => sides.every((px) => px >= MIN_PX));
  };
  return targets.some((target) => {
    const others = targets.filter((other) => !other.element.contains(target.element));
    const isSmall = target.box.width < MIN_PX || target.box.height < MIN_PX;
    if (isSmall) return !others.every((other) => isFarFrom(target, other));
    const overlapping = others.filter((other) => overlap(target, other));
    return overlapping.length > 0 && !hasFreeSide(target, overlapping);
  });
}
