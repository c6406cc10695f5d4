import type { ReactNode } from "react";
import { useWords } from "#words";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";

const TABS = {
  overview: "/system",
  accounts: "/system/users",
  organizations: "/orgs",
  events: "/system/events",
  settings: "/system/settings",
  audit: "/system/audit",
} as const;

type Props = { current: keyof typeof TABS; actions?: ReactNode };

/** The head of the pages for whoever runs the installation. */
export function SystemHead({ current, actions }: Props) {
  const t = useWords("system");
  const items = Object.entries(TABS).map(([key, href]) => ({
    label: t(key as keyof typeof TABS),
    href,
    current: key === current,
  }));
  return (
    <div className="grid gap-4">
      <PageHeader title={t("title")} actions={actions} />
      <Tabs label={t("tabs")} items={items} />
    </div>
  );
}
