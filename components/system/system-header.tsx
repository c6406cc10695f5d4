import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";

const SYSTEM_TABS = {
  overview: "/system",
  accounts: "/system/users",
  organizations: "/orgs",
  events: "/system/events",
  settings: "/system/settings",
  audit: "/system/audit",
} as const;

type Props = { current: keyof typeof SYSTEM_TABS; actions?: ReactNode };

/** The header of the system administration pages. */
export function SystemHeader({ current, actions }: Props) {
  const t = useTranslator("system");
  const items = Object.entries(SYSTEM_TABS).map(([key, href]) => ({
    label: t(key as keyof typeof SYSTEM_TABS),
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
