import type { ReactNode } from "react";
import { loadQuickExitTargetOutsideEvents } from "#components/event/event-data.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { getCurrentActor } from "#lib/http/page.ts";
import { isReporterOnly } from "#lib/operation/policy.ts";
import { QuickExitLayout } from "./exit-bar.tsx";
import { QuickExit } from "./quick-exit.tsx";

/**
 * Renders pages that everybody has (account, notifications) with a quick exit for people who only report. The layout
 * is there with and without the exit: roles can change while a form is pending, and other elements around the form
 * would reset it.
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
