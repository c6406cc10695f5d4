import type { ReactNode } from "react";
import { page } from "#components/shell/page.tsx";
import { ClientWords } from "#components/words/client-words.tsx";

/** Lines to copy are client components, which say what `ui` holds. */
export default page(async function ReferenceLayout({ children }: { children: ReactNode }) {
  return <ClientWords of={["ui"]}>{children}</ClientWords>;
});
