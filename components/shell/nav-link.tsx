"use client";

import clsx from "clsx";
import { usePathname } from "next/navigation";
import { Link } from "#components/ui/link.tsx";

export type NavLinkData = { label: string; href: string };

type Props = NavLinkData & { variant: "bar" | "list" };

/** A main navigation link, marked as current on its page and those below. */
export function NavLink({ label, href, variant }: Props) {
  const path = usePathname() ?? "";
  const isCurrent = path === href;
  const isWithin = isCurrent || path.startsWith(`${href}/`);
  return (
    <Link
      href={href}
      aria-current={isCurrent ? "page" : isWithin ? "true" : undefined}
      className={clsx(LINK_STYLES[variant], isWithin ? CURRENT_STYLES[variant] : OTHER_STYLES[variant])}
    >
      {label}
    </Link>
  );
}

const LINK_STYLES = {
  bar: "inline-flex h-full min-h-11 items-center border-y-[3px] border-t-transparent px-3",
  list: "flex min-h-11 items-center rounded-control px-3",
};

const CURRENT_STYLES = {
  bar: "border-b-accent font-[650] text-ink",
  list: "bg-accent-soft font-[650] text-accent-hover",
};

const OTHER_STYLES = {
  bar: "border-b-transparent text-muted hover:border-b-edge hover:text-ink",
  list: "hover:bg-sunken",
};
