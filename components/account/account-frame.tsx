import type { ReactNode } from "react";
import type { QuickExitTarget } from "#components/event/event-data.ts";
import { QuickExit } from "#components/incident/quick-exit.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";

type Props = {
  title: string;
  /** A sentence under the title that says what the page is for. */
  lead?: ReactNode;
  /** A notice about the last action, or about what to know first. */
  notice?: ReactNode;
  /** Links to related pages, under the form. */
  after?: ReactNode;
  /** Quick exit, for a person on the way to a report. */
  exit?: QuickExitTarget | null;
  children: ReactNode;
};

/** The frame of sign-in and similar pages: one title, one form, and links to related pages. */
export function SignInPageFrame({ title, lead, notice, after, exit, children }: Props) {
  return (
    <NarrowFrame>
      {exit && (
        <ClientMessagesProvider of={["quickExit"]}>
          <QuickExit {...exit} />
        </ClientMessagesProvider>
      )}
      <div className={exit ? "grid gap-6 pb-28 xl:pb-0" : "grid gap-6"}>
        {notice}
        <div className="grid gap-2">
          <h1 className="text-2xl sm:text-3xl">{title}</h1>
          {lead && <p className="text-lg text-muted">{lead}</p>}
        </div>
        {children}
        {after && <div className="grid gap-1 border-t border-line pt-4">{after}</div>}
      </div>
    </NarrowFrame>
  );
}
