import type { ReactNode } from "react";
import { loadQuickExitTargetOutsideEvents } from "#components/event/event-data.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { getCurrentActor } from "#lib/http/page.ts";
import { isReporterOnly } from "#lib/operation/policy.ts";
import { QuickExitLayout } from "./exit-bar.tsx";
import { QuickExit } from "./quick-exit.tsx";

/**
 * Renders pages that everybody has (account, notifications) with a quick exit for people who only report. A
 * person's roles can change while a form on the page is pending, so the elements around it stay the same.
 */
export async function renderWithReporterQuickExit(content: ReactNode): Promise<ReactNode> {
  const actor = await getCurrentActor().catch(() => null);
  const exit = actor && isReporterOnly(actor) ? await loadQuickExitTargetOutsideEvents(actor) : null;
  return (
    <QuickExitLayout
      exit={
        exit && (
          <ClientMessagesProvider of={["quickExit"]}>
            <QuickExit {...exit} belowBar />
          </ClientMessagesProvider>
        )
      }
    >
      {content}
    </QuickExitLayout>
  );
}
