"use client";

import { Button } from "#components/ui/button.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Opens the browser's print dialog; without script, explains how to print. */
export function PrintButton({ label, byHand }: { label: string; byHand: string }) {
  if (!useHydrated()) return <p>{byHand}</p>;
  return (
    <Button variant="primary" icon="printer" onClick={() => window.print()}>
      {label}
    </Button>
  );
}
