"use client";

import { Printer } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Opens the browser's print dialog; without script, explains how to print. */
export function PrintButton({ label, byHand }: { label: string; byHand: string }) {
  if (!useHydrated()) return <p>{byHand}</p>;
  return (
    <Button variant="primary" icon={Printer} onClick={() => window.print()}>
      {label}
    </Button>
  );
}
