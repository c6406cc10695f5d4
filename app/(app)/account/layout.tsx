import type { ReactNode } from "react";
import { besideExit } from "#components/incident/beside-exit.tsx";
import { page } from "#components/shell/page.tsx";

export default page(async function AccountLayout({ children }: { children: ReactNode }) {
  return await besideExit(children);
});
