import type { ReactNode } from "react";
import { renderWithQuickExit } from "#components/incident/with-quick-exit.tsx";
import { definePage } from "#components/shell/page.tsx";

export default definePage(async function AccountLayout({ children }: { children: ReactNode }) {
  return await renderWithQuickExit(children);
});
