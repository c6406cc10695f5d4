import type { ReactNode } from "react";
import { definePage } from "#components/shell/page.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";

/** The pages below render client-component forms, which need the `ui` messages. */
export default definePage(async function InviteLayout({ children }: { children: ReactNode }) {
  return <ClientMessagesProvider of={["ui"]}>{children}</ClientMessagesProvider>;
});
