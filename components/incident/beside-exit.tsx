import type { ReactNode } from "react";
import { ownExit } from "#components/event/this-event.ts";
import { ClientWords } from "#components/words/client-words.tsx";
import { viewer } from "#lib/api/page.ts";
import { onlyReports } from "#lib/policy.ts";
import { QuickExit } from "./quick-exit.tsx";

/** Pages that everybody has, their account and their notifications: beside the way out for those who only report. */
export async function besideExit(content: ReactNode): Promise<ReactNode> {
  const actor = await viewer().catch(() => null);
  if (!actor || !onlyReports(actor)) return content;
  return (
    <>
      <div className="[&>.exit-words]:mx-0">
        <ClientWords of={["quickExit"]}>
          <QuickExit {...await ownExit(actor)} belowBar />
        </ClientWords>
      </div>
      <div className="pb-28 xl:pe-60 xl:pb-0">{content}</div>
    </>
  );
}
