"use client";

import clsx from "clsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { Menu } from "#components/ui/menu.tsx";
import { menuItemClass } from "#components/ui/menu-item.ts";
import icons from "./desk-icons.module.css";

type SortOrder = { href: string; label: string; current: boolean };

type Props = {
  /** Names the order that the list has. */
  label: string;
  /** `SortOrder`s as JSON: see `Rows`. */
  orders: string;
};

/** In which order the list stands, and in which it could. */
export function SortOrderMenu({ label, orders }: Props) {
  return (
    <Menu triggerClass={clsx(buttonClass("secondary", "[--icon-size:1.25rem]"), icons.order)} trigger={label}>
      {(JSON.parse(orders) as SortOrder[]).map(({ href, label: words, current }) => (
        <a
          key={href}
          href={href}
          aria-current={current ? "true" : undefined}
          className={clsx(menuItemClass, current && "font-[650] text-accent")}
        >
          {words}
        </a>
      ))}
    </Menu>
  );
}
