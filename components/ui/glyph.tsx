import clsx from "clsx";
import { createElement } from "react";
import type { IconNode } from "#lib/design/glyphs.ts";

type Props = {
  /** One of lib/design/glyphs.ts. */
  of: IconNode;
  /** Side in px. */
  size?: 16 | 20 | 24 | 32;
  /** Say it only where no word stands beside the icon. */
  label?: string;
  className?: string;
};

/**
 * An icon that needs no script: silent beside a word, named where it stands alone. For the pages of visitors and reporters, whose script is kept
 * small; everywhere else `Icon` does the same with any icon of Lucide's.
 */
export function StaticIcon({ of, size = 20, label, className }: Props) {
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
