"use client";

import { Icon } from "#components/ui/icon.tsx";
import clsx from "clsx";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Menu } from "#components/ui/menu.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";

type SortChoice = {
  href: string;
  label: string;
  /** Explains the order where its name doesn't. */
  hint?: string;
  current?: boolean;
};

type Props = {
  /** Label of the current sort order. */
  label: string;
  orders: readonly SortChoice[];
};

/** Menu of the list's sort orders. */
export function SortOrderMenu({ label, orders }: Props) {
  return (
    <Menu
      triggerClass={buildButtonClass("secondary", "[--icon-size:1.25rem]")}
      trigger={
        <>
          <Icon as="arrow-down-up" />
          {label}
        </>
      }
    >
      {orders.map(({ href, label: orderLabel, hint, current }) => (
        <a
          key={href}
          href={href}
          aria-current={current ? "true" : undefined}
          className={clsx(MENU_ITEM_CLASS, current && "font-[650] text-accent")}
        >
          {hint ? (
            <span className="max-w-72">
              {orderLabel}
              <span className="block text-sm font-normal text-muted">{hint}</span>
            </span>
          ) : (
            orderLabel
          )}
        </a>
      ))}
    </Menu>
  );
}
