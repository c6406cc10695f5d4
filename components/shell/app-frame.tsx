import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { AppFrameLayout, type AppFrameProps } from "./frame-parts.tsx";

/** The frame of the signed-in pages: logo, navigation, user menu and content. */
export function AppFrame({ user: { name, email, avatarUrl }, ...props }: AppFrameProps) {
  return (
    <ClientMessagesProvider of={["shell", "live"]}>
      {/* Only these three: every prop of a client component is sent to the browser. */}
      <AppFrameLayout user={{ name, email, avatarUrl }} {...props} />
    </ClientMessagesProvider>
  );
}
