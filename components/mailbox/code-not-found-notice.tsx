"use client";

import type { ReactNode } from "react";
import { useFormContext } from "#components/ui/form-context.ts";

/** After words that open nothing here: says where else they may, before the advice to check them. */
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
