import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

type Props = { icon?: IconName; title: string; children?: ReactNode; actions?: ReactNode };

/** Says that there is nothing here yet, and what to do next. */
export function EmptyState({ icon, title, children, actions }: Props) {
  return (
    <div className="grid justify-items-start gap-3 rounded-surface border border-dashed border-edge/60 px-4 py-8 sm:px-8">
      {icon && <Icon as={icon} size={24} className="text-muted" />}
      <p className="text-lg font-[650]">{title}</p>
      {children && <div className="max-w-[60ch] text-muted">{children}</div>}
      {actions && <div className="mt-1 flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
