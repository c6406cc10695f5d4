import clsx from "clsx";
import type { LucideIcon } from "lucide-react";

export type { LucideIcon };

type Props = {
  /** One icon, imported by its name: `import { Lock } from "lucide-react"`. */
  as: LucideIcon;
  /** Say it only where no word stands beside the icon. */
  label?: string;
  /** Side in px. */
  size?: 16 | 20 | 24 | 32;
  className?: string;
};

/** An icon: silent beside a word, named where it stands alone. */
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
