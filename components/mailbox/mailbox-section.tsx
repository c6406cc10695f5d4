import type { ReactNode } from "react";

/** A section of the page of a mailbox. It takes the focus when its form returns to it. */
export function MailboxSection({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      tabIndex={-1}
      className="grid gap-4 border-t border-line pt-6 outline-none"
    >
      <h2 id={`${id}-title`} className="text-xl">
        {title}
      </h2>
      {children}
    </section>
  );
}
