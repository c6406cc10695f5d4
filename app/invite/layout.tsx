import type { ReactNode } from "react";
import { definePage } from "#components/shell/page.tsx";
import { ClientMessages } from "#components/words/client-words.tsx";

/** Forms of client components, which say what `ui` holds. */
export default definePage(async function InviteLayout({ children }: { children: ReactNode }) {
  return <ClientMessages of={["ui"]}>{children}</ClientMessages>;
});
