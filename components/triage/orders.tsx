"use client";

import clsx from "clsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { Menu } from "#components/ui/menu.tsx";
import { menuItemClass } from "#components/ui/menu-item.ts";
import icons from "./triage-icons.module.css";

type SortOrder = { href: string; label: string; current: boolean };

type Props = {
  /** Label of the current sort order. */
  label: string;
  /** `SortOrder`s as JSON: see `IncidentRows`. */
  orders: string;
};

/** Menu of the list's sort orders. */
export function SortOrderMenu({ label, orders }: Props) {
  return (
    <Menu triggerClass={clsx(buttonClass("secondary", "[--icon-size:1.25rem]"), icons.order)} trigger={label}>
      {(JSON.parse(orders) as SortOrder[]).map(({ href, label: orderLabel, current }) => (
        <a
          key={href}
          href={href}
          aria-current={current ? "true" : undefined}
          className={clsx(menuItemClass, current && "font-[650] text-accent")}
        >
          {orderLabel}
        </a>
      ))}
    </Menu>
  );
}
