import { PageHeader } from "#components/ui/page-header.tsx";
import { Tabs } from "#components/ui/tabs.tsx";

const VIEWS = {
  profile: { label: "Profile", href: "/account" },
  security: { label: "Security", href: "/account/security" },
  tokens: { label: "API tokens", href: "/account/tokens" },
  notifications: { label: "Notifications", href: "/notifications/settings" },
  data: { label: "Your data", href: "/account/data" },
} as const;

/** The head of the pages about one's own account. */
export function AccountHead({ current }: { current: keyof typeof VIEWS }) {
  return (
    <div className="grid gap-4">
      <PageHeader title="Your account" />
      <Tabs
        label="Your account"
        items={Object.entries(VIEWS).map(([name, view]) => ({ ...view, current: name === current }))}
      />
    </div>
  );
}
