import type { ReactNode } from "react";
import { definePage } from "#components/shell/page.tsx";
import { ClientMessages } from "#components/words/client-words.tsx";

/** Every part, client components among them, which say what `ui` holds. */
export default definePage(async function StyleguideLayout({ children }: { children: ReactNode }) {
  return <ClientMessages of={["ui", "offline"]}>{children}</ClientMessages>;
});
