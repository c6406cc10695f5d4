import clsx from "clsx";
import { createElement } from "react";
import type { IconShapes } from "#lib/design/icons.ts";

type Props = {
  /** An icon of lib/design/icons.ts. */
  of: IconShapes;
  /** Side length in px. */
  size?: 16 | 20 | 24 | 32;
  className?: string;
};

/**
 * An icon beside a text that needs no script. For pages of visitors and reporters, which ship little script; elsewhere
 * `Icon` does the same with any Lucide icon.
 */
export function IconWithoutScript({ of, size = 20, className }: Props) {
  return (
    <svg
      aria-hidden
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
