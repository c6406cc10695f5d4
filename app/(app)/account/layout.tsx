import type { ReactNode } from "react";
import { renderWithReporterQuickExit } from "#components/incident/with-quick-exit.tsx";
import { definePage } from "#components/shell/page.tsx";

export default definePage(async function AccountLayout({ children }: { children: ReactNode }) {
  return await renderWithReporterQuickExit(children);
});
