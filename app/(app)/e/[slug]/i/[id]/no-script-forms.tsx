"use client";

import type { ReactNode } from "react";
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Box around forms that are inline without script; with script they are dialogs and take no space. */
export function NoScriptFormsBox({ title, children }: { title: string; children: ReactNode }) {
  const scripted = useHydrated();
  return (
    <section
      aria-label={scripted ? undefined : title}
      className={
        scripted ? "contents" : "no-print grid gap-2 rounded-surface border border-line bg-surface p-4"
      }
    >
      {!scripted && <h2 className="text-lg">{title}</h2>}
      {children}
    </section>
  );
}
