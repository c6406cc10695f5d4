import type { ReactNode } from "react";
import { page } from "#components/shell/page.tsx";
import { ClientWords } from "#components/words/client-words.tsx";

/** Every part, client components among them, which say what `ui` holds. */
export default page(async function StyleguideLayout({ children }: { children: ReactNode }) {
  return <ClientWords of={["ui", "offline"]}>{children}</ClientWords>;
});
