"use client";

import type { ReactNode } from "react";
import { Breadcrumbs, type BreadcrumbItem } from "./breadcrumbs.tsx";

type Props = {
  title: string;
  breadcrumbs?: readonly BreadcrumbItem[];
  /** A line under the title: badges, times, counts. */
  meta?: ReactNode;
  /** Placed on the right; on a phone, under the title. */
  actions?: ReactNode;
};

/** The header of a page: its only h1, with details and actions. */
export function PageHeader({ title, breadcrumbs, meta, actions }: Props) {
  return (
    <header className="grid grid-cols-1 gap-1">
      {breadcrumbs && breadcrumbs.length > 0 && <Breadcrumbs items={breadcrumbs} />}
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <div className="grid min-w-0 max-w-4xl flex-1 basis-72 gap-2">
          <h1 dir="auto" className="text-2xl wrap-anywhere sm:text-3xl">
            {title}
          </h1>
          {meta && <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-muted">{meta}</div>}
        </div>
        {actions && <div className="no-print flex flex-wrap gap-2">{actions}</div>}
      </div>
    </header>
  );
}
