import type { ComponentProps } from "react";
import { useTranslator } from "#i18n";
import { PageLinkPerEvent } from "#components/event/event-page-links.tsx";

/** Links to the page that takes a report for somebody: of the only event, or of each of several. */
export function TakeReportLinks({ events }: Pick<ComponentProps<typeof PageLinkPerEvent>, "events">) {
  const t = useTranslator("intake");
  return (
    <PageLinkPerEvent
      events={events}
      page="take"
      icon="notebook-pen"
      label={t("take")}
      listLabel={t("takeWhere")}
      allHref="/take"
      variant="secondary"
    />
  );
}
