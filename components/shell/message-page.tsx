import type { ReactNode } from "react";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import type { IconShapes } from "#lib/design/icons.ts";

type Props = { icon: IconShapes; title: string; children: ReactNode; actions?: ReactNode };

/** A page that only shows a message: one heading, a short text, and links to continue. */
export function MessagePage({ icon, title, children, actions }: Props) {
  return (
    <div className="grid max-w-[60ch] justify-items-start gap-5 py-6 sm:py-10">
      <span className="grid size-14 place-items-center rounded-surface border border-line bg-sunken text-muted">
        <IconWithoutScript of={icon} size={24} />
      </span>
      <h1 className="text-2xl text-balance sm:text-3xl">{title}</h1>
      <div className="grid gap-3 text-lg text-muted">{children}</div>
      {actions && <div className="mt-2 flex flex-wrap gap-3">{actions}</div>}
    </div>
  );
}
