import type { ReactNode } from "react";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";

export type OrganizationTab = "overview" | "members" | "invites" | "insights" | "settings";

type Props = {
  organization: { name: string; slug: string; logoUrl: string | null };
  current: OrganizationTab;
  /** What this person may open; roles decide it, so it is given. */
  may: { invite: boolean; edit: boolean };
  meta?: ReactNode;
  actions?: ReactNode;
};

/** The head of an organization's pages: its name, and the way between them. */
export function OrganizationHead({ organization, current, may, meta, actions }: Props) {
  const tab = (key: OrganizationTab, label: string) => ({
    label,
    href: key === "overview" ? `/orgs/${organization.slug}` : `/orgs/${organization.slug}/${key}`,
    current: key === current,
  });
  return (
    <div className="grid gap-4">
      <div className="flex items-start gap-4">
        {organization.logoUrl && (
          <img
            src={organization.logoUrl}
            alt=""
            className="mt-11 hidden size-14 shrink-0 rounded-control border border-line bg-surface object-contain sm:block"
          />
        )}
        <div className="min-w-0 grow">
          <PageHeader
            title={organization.name}
            breadcrumbs={[{ label: "Organizations", href: "/orgs" }]}
            meta={meta}
            actions={actions}
          />
        </div>
      </div>
      <Tabs
        label={`Pages of ${organization.name}`}
        items={[
          tab("overview", "Overview"),
          tab("members", "Members"),
          ...(may.invite ? [tab("invites", "Invites")] : []),
          tab("insights", "Insights"),
          ...(may.edit ? [tab("settings", "Settings")] : []),
        ]}
      />
    </div>
  );
}
