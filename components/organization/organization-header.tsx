import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { toRelativeUrl } from "#lib/design/relative-url.ts";

export type OrganizationTabKey =
  | "overview"
  | "events"
  | "members"
  | "invites"
  | "insights"
  | "webhooks"
  | "tokens"
  | "retention"
  | "audit"
  | "settings";

type Props = {
  organization: { name: string; slug: string; logoUrl: string | null };
  current: OrganizationTabKey;
  /** The pages that the current user may open. Passed in, because it depends on roles. */
  may: {
    invite: boolean;
    edit: boolean;
    manageWebhooks: boolean;
    manageTokens: boolean;
    viewAudit: boolean;
  };
  meta?: ReactNode;
  actions?: ReactNode;
};

/** The header of an organization's pages: its name, and the tabs. */
export function OrganizationHeader({ organization, current, may, meta, actions }: Props) {
  const t = useTranslator("organization");
  const tab = (key: OrganizationTabKey) => ({
    label: t(`tab.${key}`),
    href: key === "overview" ? `/orgs/${organization.slug}` : `/orgs/${organization.slug}/${key}`,
    current: key === current,
  });
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
          tab("overview"),
          tab("events"),
          tab("insights"),
          tab("members"),
          ...(may.invite ? [tab("invites")] : []),
          ...(may.manageWebhooks ? [tab("webhooks")] : []),
          ...(may.manageTokens ? [tab("tokens")] : []),
          tab("retention"),
          ...(may.viewAudit ? [tab("audit")] : []),
          ...(may.edit ? [tab("settings")] : []),
        ]}
      />
    </div>
  );
}

function OrganizationLogo({ url }: { url: string }) {
  return (
    <img
      src={toRelativeUrl(url)}
      alt=""
      className="mt-11 hidden size-14 print:mt-0 shrink-0 rounded-control border border-line bg-surface object-contain sm:block"
    />
  );
}
