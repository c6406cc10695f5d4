import { useTranslator } from "#i18n";
import { Tabs } from "#components/ui/tabs.tsx";

type Props = { slug: string; incidentId: string; current: "reporter" | "others" };

/** Leads from the conversation with the reporter to those with reported people and witnesses, and back. */
export function ConversationTabs({ slug, incidentId, current }: Props) {
  const t = useTranslator("conversations");
  const incident = `/e/${slug}/i/${incidentId}`;
  return (
    <Tabs
      label={t("tabs")}
      items={[
        { label: t("tab.reporter"), href: `${incident}#talk`, current: current === "reporter" },
        { label: t("tab.others"), href: `${incident}/conversations`, current: current === "others" },
      ]}
    />
  );
}
