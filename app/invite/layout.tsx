import type { ReactNode } from "react";
import { page } from "#components/shell/page.tsx";
import { ClientWords } from "#components/words/client-words.tsx";

/** Forms of client components, which say what `ui` holds. */
export default page(async function InviteLayout({ children }: { children: ReactNode }) {
  return <ClientWords of={["ui"]}>{children}</ClientWords>;
});
