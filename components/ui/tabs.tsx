import clsx from "clsx";
import { Link } from "./link.tsx";

export type Tab = { label: string; href: string; current?: boolean; count?: number };

/** Views of one thing, each with an address of its own. */
export function Tabs({ label, items }: { label: string; items: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="border-b border-line">
      <ul className="-mb-px flex flex-wrap gap-x-1">
        {items.map((tab) => (
          <li key={tab.href}>
            <Link
              href={tab.href}
              aria-current={tab.current ? "page" : undefined}
              className={clsx(
                "inline-flex min-h-11 items-center gap-2 border-b-[3px] px-3",
                tab.current
                  ? "border-accent font-[650] text-ink"
                  : "border-transparent text-muted hover:border-edge hover:text-ink",
              )}
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="text-sm font-normal text-muted tabular-nums">{tab.count}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
