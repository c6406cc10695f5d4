import type { ReactNode } from "react";
import { definePage } from "#components/shell/page.tsx";
import { ClientMessages } from "#components/words/client-words.tsx";

/** Lines to copy are client components, which say what `ui` holds. */
export default definePage(async function ReferenceLayout({ children }: { children: ReactNode }) {
  return <ClientMessages of={["ui"]}>{children}</ClientMessages>;
});
