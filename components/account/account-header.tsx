import { useTranslator } from "#i18n";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";

const ACCOUNT_TABS = [
  { name: "profile", href: "/account" },
  { name: "security", href: "/account/security" },
  { name: "tokens", href: "/account/tokens" },
  { name: "invitations", href: "/account/invitations" },
  { name: "notifications", href: "/notifications/settings" },
  { name: "data", href: "/account/data" },
] as const;
type AccountTab = (typeof ACCOUNT_TABS)[number]["name"];

/** The header of the current user's account pages. */
export function AccountHeader({ current }: { current: AccountTab }) {
  const t = useTranslator("account");
  return (
    <div className="grid gap-4">
      <PageHeader title={t("title")} />
      <Tabs
        label={t("title")}
        items={ACCOUNT_TABS.map(({ name, href }) => ({
          label: t(`tab.${name}`),
          href,
          current: name === current,
        }))}
      />
    </div>
  );
}
