import type { ReactNode } from "react";
import { loadQuickExitForActor } from "#components/event/this-event.ts";
import { ClientMessages } from "#components/words/client-words.tsx";
import { currentActor } from "#lib/http/page.ts";
import { isReporterOnly } from "#lib/operation/policy.ts";
import { QuickExitLayout } from "./exit-bar.tsx";
import { QuickExit } from "./quick-exit.tsx";

/**
 * Pages that everybody has, their account and their notifications: beside the way out for those who only report. Whoever
 * that is may change while a form of the page is under way, so what stands around it stays the same.
 */
export async function renderWithQuickExit(content: ReactNode): Promise<ReactNode> {
  const actor = await currentActor().catch(() => null);
  const exit = actor && isReporterOnly(actor) ? await loadQuickExitForActor(actor) : null;
  return (
    <QuickExitLayout
      exit={
        exit && (
          <ClientMessages of={["quickExit"]}>
            <QuickExit {...exit} belowBar />
          </ClientMessages>
        )
      }
    >
      {content}
    </QuickExitLayout>
  );
}
