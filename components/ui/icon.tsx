import clsx from "clsx";
import type { IconName } from "#lib/design/icon-names.ts";

export type { IconName };

// Pages in the frame of signed-in pages have the style sheet before they show (components/shell/app-frame.tsx). To others,
// such as the mailbox, it comes later, or never on a bad network: they are read first, and icons stand beside a text.
if (typeof window !== "undefined") import("./icon-styles.ts").catch(() => {});

type Props = {
  as: IconName;
  /** Side length in px. */
  size?: 16 | 20 | 24 | 32;
  className?: string;
};

/**
 * An icon beside a text, in its color or in `--icon`; hidden from screen readers. It is one empty element with a short
 * class, since a page has up to a hundred: the shape is in a style sheet that the build writes from Lucide's data
 * (lib/build/icon-styles.ts).
 */
export function Icon({ as: name, size = 20, className }: Props) {
  return <i className={clsx(`icon i-${name}`, size !== 20 && `icon-${size}`, className)} />;
}
