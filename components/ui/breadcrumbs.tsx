"use client";

import { useTranslator } from "#i18n";
import { Icon } from "./icon.tsx";
import { TextLink } from "./link.tsx";

export type BreadcrumbItem = { label: string; href: string };

/** Links to the parent pages. The page itself is omitted, because its heading follows. */
export function Breadcrumbs({ items }: { items: readonly BreadcrumbItem[] }) {
  const t = useTranslator("ui");
  return (
    <nav aria-label={t("breadcrumb")}>
      <ol className="flex flex-wrap items-center gap-x-1 text-sm">
        {items.map((item, at) => (
          <li key={item.href} className="flex min-w-0 items-center gap-1">
            {at > 0 && <Icon as="chevron-right" size={16} className="text-muted rtl:-scale-x-100" />}
            <TextLink href={item.href} className="inline-flex min-h-11 min-w-11 items-center wrap-anywhere">
              {item.label}
            </TextLink>
          </li>
        ))}
      </ol>
    </nav>
  );
}
