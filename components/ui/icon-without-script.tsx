import clsx from "clsx";
import { createElement } from "react";
import type { IconShapes } from "#lib/design/icons.ts";

type Props = {
  /** An icon of lib/design/icons.ts. */
  of: IconShapes;
  /** Side length in px. */
  size?: 16 | 20 | 24 | 32;
  /** Set it only if no text is next to the icon. */
  label?: string;
  className?: string;
};

/**
 * An icon that needs no script: hidden from screen readers next to text, labeled on its own. For pages of
 * visitors and reporters, which ship little script; elsewhere `Icon` does the same with any Lucide icon.
 */
export function IconWithoutScript({ of, size = 20, label, className }: Props) {
  const ariaProps = label ? { role: "img", "aria-label": label } : { "aria-hidden": true };
  return (
    <svg
      {...ariaProps}
      focusable="false"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={clsx("shrink-0", className)}
    >
      {of.map(([shape, attributes], at) => createElement(shape, { key: at, ...attributes }))}
    </svg>
  );
}
