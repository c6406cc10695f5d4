import type { ReactNode } from "react";

/** A highlighted block for something to read first. */
export function TitledCallout({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid max-w-[68ch] gap-1 rounded-surface bg-caution-soft p-4">
      <p className="font-[650]">{title}</p>
      {children}
    </div>
  );
}
