import { useLocale, useTimeFormatOptions } from "#i18n";
import { AppMessagesProvider } from "#components/i18n/app-messages.tsx";
import "#components/ui/generated/icons.css";
import { AppFrameLayout, type AppFrameProps } from "./frame-parts.tsx";

/** The frame of the signed-in pages: logo, navigation, user menu and content. */
export function AppFrame({ user: { name, email, avatarUrl }, ...props }: AppFrameProps) {
  const locale = useLocale();
  const { timeZone } = useTimeFormatOptions();
  return (
    <AppMessagesProvider locale={locale} timeZone={timeZone}>
      {/* Only these three: every prop of a client component is sent to the browser. */}
      <AppFrameLayout user={{ name, email, avatarUrl }} {...props} />
    </AppMessagesProvider>
  );
}
