import type { ReactNode } from "react";
import { ownExit } from "#components/event/this-event.ts";
import { ClientWords } from "#components/words/client-words.tsx";
import { viewer } from "#lib/http/page.ts";
import { onlyReports } from "#lib/operation/policy.ts";
import { BesideExit } from "./exit-bar.tsx";
import { QuickExit } from "./quick-exit.tsx";

/**
 * Pages that everybody has, their account and their notifications: beside the way out for those who only report. Whoever
 * that is may change while a form of the page is under way, so what stands around it stays the same.
 */
export async function besideExit(content: ReactNode): Promise<ReactNode> {
  const actor = await viewer().catch(() => null);
  const exit = actor && onlyReports(actor) ? await ownExit(actor) : null;
  return (
    <BesideExit
      exit={
        exit && (
          <ClientWords of={["quickExit"]}>
            <QuickExit {...exit} belowBar />
          </ClientWords>
        )
      }
    >
      {content}
    </BesideExit>
  );
}
