"use client";

import clsx from "clsx";
import { Link } from "./link.tsx";

type TabItem = { label: string; href: string; current?: boolean; count?: number };

type Props = {
  label: string;
  items: readonly TabItem[];
  /** "line" for the pages of one object; "pills" for a choice among a few within a page. */
  variant?: "line" | "pills";
};

/** Views of one object, each with its own address. */
export function Tabs({ label, items, variant = "line" }: Props) {
  const { list, tab, current, other } = TAB_STYLES[variant];
  return (
    <nav aria-label={label} className={clsx("no-print", variant === "line" && "border-b border-line")}>
      <ul className={list}>
        {items.map((item) => (
          <li key={item.href}>
            <Link
              href={item.href}
              aria-current={item.current ? "page" : undefined}
              className={clsx(
                "inline-flex min-h-11 items-center gap-2 px-3",
                tab,
                item.current ? current : other,
              )}
            >
              {item.label}
              {item.count !== undefined && (
                <span className="text-sm font-normal text-muted tabular-nums">{item.count}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const TAB_STYLES = {
  line: {
    list: "-mb-px flex flex-wrap gap-x-1",
    tab: "border-b-[3px]",
    current: "border-accent font-[650] text-ink",
    other: "border-transparent text-muted hover:border-edge hover:text-ink",
  },
  pills: {
    list: "flex flex-wrap gap-1",
    tab: "rounded-control border",
    current: "border-accent bg-accent-soft font-[650] text-accent-hover",
    other: "border-edge bg-surface hover:border-ink hover:bg-sunken",
  },
};
