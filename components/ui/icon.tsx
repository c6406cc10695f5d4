import clsx from "clsx";
import type { LucideIcon } from "lucide-react";

export type { LucideIcon };

type Props = {
  /** An icon imported by name: `import { Lock } from "lucide-react"`. */
  as: LucideIcon;
  /** Side length in px. */
  size?: 16 | 20 | 24 | 32;
  className?: string;
};

/** An icon beside a text; hidden from screen readers. */
export function Icon({ as: IconComponent, size = 20, className }: Props) {
  return (
    <IconComponent
      aria-hidden
      focusable="false"
      size={size}
      strokeWidth={1.75}
      className={clsx("shrink-0", className)}
    />
  );
}
