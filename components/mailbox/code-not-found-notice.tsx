"use client";

import type { ReactNode } from "react";
import { useFormContext } from "#components/ui/form-context.ts";

/** The notice for words that open nothing here: which other page they may open, then the advice to check them. */
export function MailboxCodeNotFoundNotice({ children }: { children: ReactNode }) {
  const { advice } = useFormContext().state;
  return (
    advice && (
      <div role="status" className="grid gap-2">
        <p>{children}</p>
        <p>{advice}</p>
      </div>
    )
  );
}
