import clsx from "clsx";
import type { IconName } from "#lib/design/icon-names.ts";
import "./generated/icons.css";

export type { IconName };

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
