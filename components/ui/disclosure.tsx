"use client";

import clsx from "clsx";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

type Props = { summary: ReactNode; open?: boolean; className?: string; children: ReactNode };

/** Content that expands under its own title; works without script. */
export function Disclosure({ summary, open, className, children }: Props) {
  return (
    <details open={open} className={clsx("group/disclosure", className)}>
      <summary className="inline-flex min-h-11 items-center gap-1.5 rounded-control pe-3 font-[550] text-accent hover:text-accent-hover">
        <Icon
          as="chevron-right"
          size={16}
          className="transition-transform duration-150 group-open/disclosure:rotate-90 rtl:-scale-x-100"
        />
        {summary}
      </summary>
      <div className="pt-1 pb-2">{children}</div>
    </details>
  );
}
