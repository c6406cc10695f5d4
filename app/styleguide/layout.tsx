import type { ReactNode } from "react";
import { definePage } from "#components/shell/page.tsx";
import "#components/ui/generated/icons.css";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";

/** Gives the client components of the style guide their messages. */
export default definePage(async function StyleguideLayout({ children }: { children: ReactNode }) {
  return <ClientMessagesProvider of={["ui", "offline"]}>{children}</ClientMessagesProvider>;
});
