import clsx from "clsx";
import type { LucideIcon } from "lucide-react";

export type { LucideIcon };

type Props = {
  /** An icon imported by name: `import { Lock } from "lucide-react"`. */
  as: LucideIcon;
  /** Set it only if no text is next to the icon. */
  label?: string;
  /** Side length in px. */
  size?: 16 | 20 | 24 | 32;
  className?: string;
};

/** An icon: hidden from screen readers next to text, labeled on its own. */
export function Icon({ as: IconComponent, label, size = 20, className }: Props) {
  const ariaProps = label ? { role: "img", "aria-label": label } : { "aria-hidden": true };
  return (
    <IconComponent
      {...ariaProps}
      focusable="false"
      size={size}
      strokeWidth={1.75}
      className={clsx("shrink-0", className)}
    />
  );
}
