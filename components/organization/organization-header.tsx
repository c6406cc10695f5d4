import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { toRelativeUrl } from "#lib/design/relative-url.ts";

/** The pages that the tab of the settings leads to. */
const SETTINGS_PAGES = ["settings", "retention", "webhooks", "tokens", "audit"] as const;
type SettingsPageKey = (typeof SETTINGS_PAGES)[number];
export type OrganizationPageKey = "overview" | "events" | "insights" | "members" | SettingsPageKey;

type Props = {
  organization: { name: string; slug: string; logoUrl: string | null };
  current: OrganizationPageKey;
  /** The pages that the current user may open. Passed in, because it depends on roles. */
  may: {
    edit: boolean;
    manageWebhooks: boolean;
    manageTokens: boolean;
    viewAudit: boolean;
  };
  meta?: ReactNode;
  actions?: ReactNode;
};

/** The header of an organization's pages: its name, the tabs and, in the settings, a second row for their pages. */
export function OrganizationHeader({ organization, current, may, meta, actions }: Props) {
  const t = useTranslator("organization");
  const base = `/orgs/${organization.slug}`;
  const link = (key: OrganizationPageKey) => ({
    label: t(`tab.${key}`),
    href: key === "overview" ? base : `${base}/${key}`,
    current: key === current,
  });
  const settings = listSettingsPages(may).map(link);
  const isInSettings = settings.some((page) => page.current);
  return (
    <div className="grid gap-4">
      <div className="flex items-start gap-4">
        {organization.logoUrl && <OrganizationLogo url={organization.logoUrl} />}
        <div className="min-w-0 grow">
          <PageHeader
            title={organization.name}
            breadcrumbs={[{ label: t("organizations"), href: "/orgs" }]}
            meta={meta}
            actions={actions}
          />
        </div>
      </div>
      <Tabs
        label={t("pagesOf", { name: organization.name })}
        items={[
          ...(["overview", "events", "insights", "members"] as const).map(link),
          ...settings.slice(0, 1).map(({ href }) => ({ label: t("settings"), href, current: isInSettings })),
        ]}
      />
      {isInSettings && <Tabs label={t("settings")} items={settings} variant="pills" />}
    </div>
  );
}

const listSettingsPages = (may: Props["may"]): SettingsPageKey[] => {
  const mayOpen: Record<SettingsPageKey, boolean> = {
    settings: may.edit,
    retention: true,
    webhooks: may.manageWebhooks,
    tokens: may.manageTokens,
    audit: may.viewAudit,
  };
  return SETTINGS_PAGES.filter((page) => mayOpen[page]);
};

function OrganizationLogo({ url }: { url: string }) {
  return (
    <img
      src={toRelativeUrl(url)}
      alt=""
      className="mt-11 hidden size-14 print:mt-0 shrink-0 rounded-control border border-line bg-surface object-contain sm:block"
    />
  );
}
