import { ClientMessages } from "#components/i18n/client-messages.tsx";
import { FrameLayout, type FrameProps } from "./frame-parts.tsx";

/** The frame of the signed-in pages: wordmark, navigation, user menu and content. */
export function AppFrame({ user: { name, email, avatarUrl }, ...props }: FrameProps) {
  return (
    <ClientMessages of={["shell", "live"]}>
      {/* These three only: all that is given to it goes to the browser. */}
      <FrameLayout user={{ name, email, avatarUrl }} {...props} />
    </ClientMessages>
  );
}
