import type { ReactNode } from "react";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";

export const SAMPLE_NOW = new Date("2026-03-14T14:02:00.000Z");

export function SampleSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-4">
      <h2 className="border-b border-line pb-2 text-xl">{title}</h2>
      {children}
    </section>
  );
}

export function SampleRow({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>;
}

export function SampleMenu() {
  return (
    <>
      <Link href="/second" className={MENU_ITEM_CLASS}>
        <Icon as="settings" /> Account
      </Link>
      <button type="button" className={MENU_ITEM_CLASS}>
        <Icon as="log-out" /> Sign out
      </button>
    </>
  );
}
