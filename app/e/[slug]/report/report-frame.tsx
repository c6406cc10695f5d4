import type { ReactNode } from "react";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { OfflineNotice } from "#components/shell/offline-notice.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";

/** The frame of the report form and its confirmation, which say when the browser is offline. */
export function ReportFrame({ slug, children }: { slug: string; children: ReactNode }) {
  return (
    <NarrowFrame
      width="reading"
      home={`/e/${slug}`}
      notice={
        <ClientMessagesProvider of={["offline"]}>
          <OfflineNotice />
        </ClientMessagesProvider>
      }
    >
      {children}
    </NarrowFrame>
  );
}
